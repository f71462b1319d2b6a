// Runs one piece of work at a time in a thread of its own. The first start() creates the thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tl {

/// All member functions are called by the owner's thread.
class WorkThread {
  public:
    /// `ended`: called in the thread after each piece of work, to wake the owner; may be null.
    /// `spin`: time for which the thread looks for work, and finish() for its end, before they
    /// sleep.
    explicit WorkThread(std::function<void()> ended = {}, std::chrono::microseconds spin = {})
        : ended_(std::move(ended)), spin_(spin) {}
    /// Waits for the work in progress.
    ~WorkThread();
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;

    /// Starts work in the thread; never waits. Must not be called while busy().
    void start(std::function<void()> work);
    /// True from start() until finish(), even after the work has ended.
    [[nodiscard]] bool busy() const { return busy_; }
    /// Whether the work has ended, so that finish() does not wait.
    [[nodiscard]] bool ended() const { return done_.load(); }
    /// Waits for the work; rethrows what it has thrown.
    void finish();

  private:
    void run();

    std::function<void()> ended_;
    std::chrono::microseconds spin_;
    bool busy_ = false;
    std::atomic<bool> done_ = false;
    std::atomic<bool> is_wanted_ = false;  ///< whether there is work, or the thread is to exit
    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_;  // not yet begun
    std::exception_ptr error_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace tl
