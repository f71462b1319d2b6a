#include "core/base/read_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/paths.h"

namespace tl {
namespace {

std::mutex log_mutex;
bool logging = false;
std::vector<ReadFile> log_entries;

}  // namespace

FileStamp FileStamp::of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return {};
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    return {found.st_mtim.tv_sec * kNanoseconds + found.st_mtim.tv_nsec,
            static_cast<std::uint64_t>(found.st_size), found.st_ino};
}

ReadLog::ReadLog() {
    std::scoped_lock lock(log_mutex);
    log_entries.clear();
    logging = true;
}

ReadLog::~ReadLog() {
    std::scoped_lock lock(log_mutex);
    logging = false;
    log_entries.clear();
}

std::vector<ReadFile> ReadLog::files() const {
    std::scoped_lock lock(log_mutex);
    return log_entries;
}

void ReadLog::note(const std::string& path) {
    std::scoped_lock lock(log_mutex);
    if (!logging) return;
    auto absolute = absolute_path(path).string();
    if (std::ranges::find(log_entries, absolute, &ReadFile::path) != log_entries.end()) return;
    log_entries.push_back({absolute, FileStamp::of(absolute)});
}

}  // namespace tl
