#include "core/base/read_log.h"

#include <sys/stat.h>

#include <algorithm>

#include "core/base/paths.h"

namespace tl {
FileStamp FileStamp::of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return {};
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    return {found.st_mtim.tv_sec * kNanoseconds + found.st_mtim.tv_nsec,
            static_cast<std::uint64_t>(found.st_size), found.st_ino};
}

void ReadLog::note(const std::string& path) {
    auto absolute = absolute_path(path).string();
    if (std::ranges::find(files_, absolute, &ReadFile::path) != files_.end()) return;
    files_.push_back({absolute, FileStamp::of(absolute)});
}

}  // namespace tl
