// Detects changes of files by polling them some times a second in a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/read_log.h"

namespace tl {

class FileWatch {
  public:
    struct Config {
        std::chrono::milliseconds every{200};  ///< polling interval
        /// time without another change before a change is reported
        std::chrono::milliseconds settle{200};
    };
    FileWatch() = default;
    explicit FileWatch(const Config& config) : config_(config) {}
    ~FileWatch();
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;

    /// Watches these files from the state in which they were read. Follows files by path if other
    /// programs replace them by renaming; a missing file may appear. `keep`: continue to watch
    /// earlier files. `told`: called by the thread after a change.
    void follow(const std::vector<ReadFile>& files, bool keep, std::function<void()> told);
    /// Accepts the present state of a file as known, as after writing it.
    void accept(const std::string& path);
    void stop();
    /// Whether files have changed and have been left alone since; true once for each change.
    [[nodiscard]] bool take_change();
    /// Number of watched files.
    [[nodiscard]] std::size_t size() const;

  private:
    using Clock = std::chrono::steady_clock;
    void run();
    void look(std::unique_lock<std::mutex>& lock);

    struct Watched {
        FileStamp known, seen;
    };
    Config config_;
    mutable std::mutex mutex_;
    std::condition_variable stopped_;
    std::map<std::string, Watched> files_;
    std::function<void()> told_;
    Clock::time_point last_change_;
    bool changing_ = false, changed_ = false, stop_ = false;
    std::thread thread_;
};

}  // namespace tl
