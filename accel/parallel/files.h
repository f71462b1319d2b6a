// Files: read whole, and written so that they appear whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace tl {

/// All bytes of a regular file of at most `limit` bytes. Throws UserError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = SIZE_MAX);

/// read_file without a UTF-8 byte order mark. Throws UserError.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path,
                                         std::size_t limit = SIZE_MAX);

/// A file that takes its place when all of it is written. It is written beside that place; where
/// anything fails, what was written goes, and what stood in the place stays. Devices and pipes are
/// written as they are.
class FileWriter {
  public:
    /// Throws UserError, as the others do: what could not be done, and why.
    explicit FileWriter(const std::string& path);
    ~FileWriter();
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;

    void write(std::string_view bytes);
    /// Ends the file and puts it in its place.
    void finish();

  private:
    [[noreturn]] void fail() const;
    std::string path_, temporary_;
    int file_ = -1;
};

/// Writes a file of these bytes, as FileWriter does. Throws UserError.
void write_file(const std::string& path, std::string_view bytes);

/// Text without the white space at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace tl
