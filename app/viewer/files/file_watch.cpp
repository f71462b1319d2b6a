#include "app/viewer/files/file_watch.h"

#include <utility>

#include "core/base/paths.h"

namespace tl {

FileWatch::~FileWatch() {
    stop();
}

void FileWatch::stop() {
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    stopped_.notify_all();
    if (thread_.joinable()) thread_.join();
    stop_ = changing_ = changed_ = false;
    files_.clear();
}

void FileWatch::follow(const std::vector<ReadFile>& files, bool keep, std::function<void()> told) {
    std::scoped_lock lock(mutex_);
    if (!keep) files_.clear();
    for (auto& file : files) files_[file.path] = {file.stamp, file.stamp};
    told_ = std::move(told);
    changing_ = changed_ = false;
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void FileWatch::accept(const std::string& path) {
    auto absolute = absolute_path(path).string();
    auto stamp = FileStamp::of(absolute);
    std::scoped_lock lock(mutex_);
    if (auto file = files_.find(absolute); file != files_.end()) file->second = {stamp, stamp};
}

bool FileWatch::take_change() {
    std::scoped_lock lock(mutex_);
    return std::exchange(changed_, false);
}

std::size_t FileWatch::size() const {
    std::scoped_lock lock(mutex_);
    return files_.size();
}

void FileWatch::run() {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, config_.every, [this] { return stop_; })) look(lock);
}

/// Looks at all files, unlocked: a file system may take its time.
void FileWatch::look(std::unique_lock<std::mutex>& lock) {
    std::vector<std::pair<std::string, FileStamp>> found;
    for (auto& [path, watched] : files_) found.emplace_back(path, FileStamp{});
    lock.unlock();
    for (auto& [path, stamp] : found) stamp = FileStamp::of(path);
    lock.lock();
    auto now = Clock::now();
    for (auto& [path, stamp] : found) {
        auto file = files_.find(path);
        if (file == files_.end() || stamp == file->second.seen) continue;
        file->second.seen = stamp;
        changing_ = true;
        last_change_ = now;
    }
    if (!changing_ || now - last_change_ < config_.settle) return;
    changing_ = false;
    bool differs = false;
    for (auto& [path, watched] : files_)
        differs |= std::exchange(watched.known, watched.seen) != watched.seen;
    // A file that is as it was before is no change.
    if (!differs) return;
    changed_ = true;
    if (told_) told_();
}

}  // namespace tl
