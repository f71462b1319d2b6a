#include "app/jobs/frame_rate.h"

#include <cmath>

namespace tl {

void FrameRate::add_frame(double seconds) {
    if (!(seconds > 0)) return;
    frames_.push_back(seconds);
    sum_ += seconds;
    while (frames_.size() > 1 && sum_ - frames_.front() >= kWindow) {
        sum_ -= frames_.front();
        frames_.pop_front();
    }
}

double FrameRate::per_second() const {
    return frames_.empty() ? 0 : static_cast<double>(frames_.size()) / sum_;
}

bool FrameRate::settled() const {
    constexpr double kLikeness = 0.05;
    constexpr std::size_t kFewest = 8;  // frames; lower rates never count as settled
    if (sum_ < kWindow || frames_.size() < kFewest) return false;
    double early = 0;
    std::size_t n_early = 0;
    while (early < sum_ / 2) early += frames_[n_early++];
    double before = static_cast<double>(n_early) / early;
    double after = static_cast<double>(frames_.size() - n_early) / (sum_ - early);
    return std::abs(after - before) < kLikeness * before;
}

}  // namespace tl
