#include "app/jobs/work_share.h"

#include <algorithm>

#include "core/device/device.h"

namespace tl {

void WorkShare::tell(const char* what, double share) {
    std::scoped_lock lock(mutex_);
    what_ = what;
    share_ = share;
    expected_ = 0;
}

void WorkShare::expect(const char* what, double seconds) {
    std::scoped_lock lock(mutex_);
    what_ = what;
    share_.reset();
    expected_ = seconds;
    began_ = Clock::now();
}

WorkShare::State WorkShare::state() const {
    constexpr double kMost = 0.99;  // of work that takes longer than expected
    std::scoped_lock lock(mutex_);
    if (!(expected_ > 0)) return {what_, share_};
    std::chrono::duration<double> taken = Clock::now() - began_;
    return {what_, std::min(taken.count() / expected_, kMost)};
}

void run_told(WorkShare& share, const std::function<bool()>& ends,
              const std::function<void(const ReadProgress&)>& work) {
    auto check = [&] {
        if (ends()) throw Cancelled();
    };
    work({.on_work =
              [&](const char* what, double done) {
                  check();
                  share.tell(what, done);
              },
          .on_estimate =
              [&](const char* what, double seconds) {
                  check();
                  share.expect(what, seconds);
              }});
}

}  // namespace tl
