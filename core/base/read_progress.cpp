#include "core/base/read_progress.h"

namespace tl {

void WorkLoop::report(std::size_t step) {
    constexpr std::size_t kTimes = 200;
    next_ = step + count_ / kTimes + 1;
    // end() alone reports 1, and the constructor 0.
    if (step > 0 && step < count_)
        progress_->report_work(what_, static_cast<double>(step) / static_cast<double>(count_));
}

}  // namespace tl
