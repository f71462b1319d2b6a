// Log of the files that have been read, so that later changes of them can be noticed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl {

/// Identifies a version of a file's contents. All members are 0 for a file that does not exist.
struct FileStamp {
    std::int64_t changed_ns = 0;  ///< time of the last change of its contents
    std::uint64_t bytes = 0, inode = 0;
    bool operator==(const FileStamp&) const = default;

    [[nodiscard]] static FileStamp of(const std::string& path);
};

struct ReadFile {
    std::string path;  ///< absolute
    FileStamp stamp;   ///< just before it was read
};

/// Files that the readers of a scene have read or searched for.
class ReadLog {
  public:
    /// The files so far, each once, in the order of their first reading.
    [[nodiscard]] const std::vector<ReadFile>& files() const { return files_; }
    /// Logs a file; called by readers of files.
    void note(const std::string& path);

  private:
    std::vector<ReadFile> files_;
};

}  // namespace tl
