// Reading whole files, and writing files that appear completely or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/base/read_observer.h"

namespace tl {

/// The size in bytes of a file that can be read to its end. Pipes, devices and sockets, which could
/// block or be read forever, are refused with a UserError that names the type. Every reader of
/// files calls this first. `observer` logs the file.
[[nodiscard]] std::size_t regular_file_size(const std::filesystem::path& path,
                                            const ReadObserver& observer = {});

/// All bytes of a regular file of at most `limit` bytes. Throws UserError if it is larger, does not
/// fit into free memory or cannot be read. `observer` receives the file and the progress.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    const ReadObserver& observer = {},
                                    std::size_t limit = SIZE_MAX);

/// Like read_file, as UTF-8 without a byte order mark: text that starts with one of UTF-16 is
/// converted. Throws UserError.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path,
                                         const ReadObserver& observer = {},
                                         std::size_t limit = SIZE_MAX);

/// Writes a file that appears under its path only when it is complete. The data go to a temporary
/// file in the same folder; on any failure that file is removed and an existing file at the path
/// stays. An existing file keeps its permissions, and a link to it stays a link. Devices and pipes
/// are written directly.
class FileWriter {
  public:
    /// Throws UserError with what failed and why, as do the other members.
    explicit FileWriter(const std::string& path);
    ~FileWriter();
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;

    void write(std::string_view bytes);
    /// Completes the file and moves it to its path.
    void finish() {
        complete();
        publish();
    }
    /// The two halves of finish(), for files that belong together: all are completed, and only then
    /// the first one is moved.
    void complete();
    void publish();

  private:
    [[noreturn]] void fail() const;
    std::string path_, target_;  ///< the given path, and the file that it leads to
    char* temporary_ = nullptr;  ///< in the list that remove_temporary_files() goes through
    int file_ = -1;
};

/// Completes files that belong together, then moves them to their paths in this order.
void finish_together(std::span<FileWriter* const> files);

/// Checks before long work that a file can be written, and that its disk has `bytes` free, as far
/// as that can be known. Throws UserError with the reason that FileWriter would give.
void require_writable(const std::string& path, std::uint64_t bytes = 1);

/// Removes the temporary files of all writers. It may be called in a handler of a signal that ends
/// the program.
void remove_temporary_files();

/// Writes a file of these bytes by FileWriter. Throws UserError.
void write_file(const std::string& path, std::string_view bytes);

/// Text without the white space at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace tl
