#include "core/base/work_thread.h"

#include <utility>

#include "core/base/spin.h"

namespace tl {

WorkThread::~WorkThread() {
    if (!thread_.joinable()) return;
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
        is_wanted_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void WorkThread::start(std::function<void()> work) {
    busy_ = true;
    done_ = false;
    {
        std::scoped_lock lock(mutex_);
        work_ = std::move(work);
        error_ = nullptr;
        is_wanted_ = true;
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    changed_.notify_all();
}

void WorkThread::finish() {
    auto is_done = [this] { return done_.load(); };
    spin_until(is_done, spin_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, is_done);
    busy_ = false;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkThread::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        lock.unlock();
        spin_until([this] { return is_wanted_.load(); }, spin_);
        lock.lock();
        changed_.wait(lock, [this] { return stop_ || work_; });
        if (!work_) return;
        is_wanted_ = stop_;
        auto work = std::exchange(work_, nullptr);
        lock.unlock();
        std::exception_ptr error;
        try {
            work();
        } catch (...) {
            error = std::current_exception();
        }
        work = nullptr;
        lock.lock();
        error_ = error;
        done_ = true;
        changed_.notify_all();
        if (ended_) ended_();
    }
}

}  // namespace tl
