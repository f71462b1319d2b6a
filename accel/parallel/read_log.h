// Which files have been read, so that changes of them can be noticed later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl {

/// What tells one state of a file from another one. All are 0 for a file that does not exist.
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

/// While it exists, notes the files that any thread reads or looks for. One at a time.
class ReadLog {
  public:
    ReadLog();
    ~ReadLog();
    ReadLog(const ReadLog&) = delete;
    ReadLog& operator=(const ReadLog&) = delete;

    /// The files so far, each once, in the order of their first reading.
    [[nodiscard]] std::vector<ReadFile> files() const;
    /// For what reads files: notes one, if there is a log.
    static void note(const std::string& path);
};

}  // namespace tl
