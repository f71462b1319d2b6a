#include "core/base/read_progress.h"

#include <utility>

namespace tl {
namespace {

thread_local std::function<void(double)> observer;
thread_local ReadProgress::Worked observer_of_work;
thread_local ReadProgress::Expected observer_of_estimates;

}  // namespace

ReadProgress::ReadProgress(std::function<void(double share)> told, Worked worked,
                           Expected expected) {
    observer = std::move(told);
    observer_of_work = std::move(worked);
    observer_of_estimates = std::move(expected);
}

ReadProgress::~ReadProgress() {
    observer = nullptr;
    observer_of_work = nullptr;
    observer_of_estimates = nullptr;
}

void tell_read(double share) {
    if (observer) observer(share);
}

void tell_work(const char* what, double share) {
    if (observer_of_work) observer_of_work(what, share);
}

void WorkLoop::tell(std::size_t step) {
    constexpr std::size_t kTimes = 200;
    next_ = step + count_ / kTimes + 1;
    // end() alone reports 1, and the constructor 0.
    if (step > 0 && step < count_)
        tell_work(what_, static_cast<double>(step) / static_cast<double>(count_));
}

void expect_work(const char* what, double seconds) {
    if (observer_of_estimates) observer_of_estimates(what, seconds);
}

bool expects_work() {
    return observer_of_estimates != nullptr;
}

}  // namespace tl
