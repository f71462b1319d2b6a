// Reading whole files, and writing files that appear completely or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace tl {

/// The size in bytes of a file that can be read to its end. Everything else is refused at once,
/// with a UserError that says what it is: pipes, devices and sockets could be waited for or read
/// forever. All that reads files asks this first.
[[nodiscard]] std::size_t regular_file_size(const std::filesystem::path& path);

/// All bytes of a regular file of at most `limit` bytes, and no more than memory is free for.
/// Throws UserError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = SIZE_MAX);

/// Like read_file, as UTF-8 without a byte order mark: text that starts with one of UTF-16 is
/// converted. Throws UserError.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path,
                                         std::size_t limit = SIZE_MAX);

/// Writes a file that appears under its path only when it is complete. The data go to a temporary
/// file beside the path; on any failure that file is removed and an existing file at the path
/// stays. Devices and pipes are written directly.
class FileWriter {
  public:
    /// Throws UserError with what failed and why, as do the other members.
    explicit FileWriter(const std::string& path);
    ~FileWriter();
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;

    void write(std::string_view bytes);
    /// Completes the file and moves it to its path.
    void finish();

  private:
    [[noreturn]] void fail() const;
    std::string path_, temporary_;
    int file_ = -1;
};

/// Writes a file of these bytes by FileWriter. Throws UserError.
void write_file(const std::string& path, std::string_view bytes);

/// Text without the white space at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace tl
