#include "app/jobs/frame_log.h"

#include "app/jobs/statistics.h"

namespace tl {

double rate_of(const std::vector<double>& periods) {
    if (periods.size() < FrameLog::kFewest) return 0;
    return 1 / median(periods);
}

void FrameLog::add(double seconds, const FrameState& state) {
    ++count_;
    if (state != state_) in_state_ = 0;
    state_ = state;
    // The first period began in another state, and first frames prepare what later ones use.
    if (in_state_ < kWarmUp) {
        ++in_state_;
        return;
    }
    if (!(seconds > 0)) return;
    frames_.push_back({count_, {seconds, state}});
    if (frames_.size() > kKept) frames_.pop_front();
}

std::vector<double> FrameLog::periods_since(std::uint64_t n, const FrameState& state) const {
    std::vector<double> periods;
    for (auto at = frames_.rbegin(); at != frames_.rend() && at->number > n; ++at)
        if (at->frame.state == state) periods.push_back(at->frame.seconds);
    return periods;
}

double FrameLog::rate() const {
    std::vector<double> periods;
    double seconds = 0;
    for (auto at = frames_.rbegin(); at != frames_.rend(); ++at) {
        bool enough = periods.size() >= kWindow && seconds >= kSeconds;
        if (enough || at->frame.state != state_) break;
        periods.push_back(at->frame.seconds);
        seconds += at->frame.seconds;
    }
    return rate_of(periods);
}

}  // namespace tl
