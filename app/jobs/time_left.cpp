#include "app/jobs/time_left.h"

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"

namespace tl {

void TimeLeft::add(const State& state, double seconds) {
    if (state.samples < state_.samples || state.pixels != state_.pixels) *this = {};
    // The mean over about the last tenth of the picture's samples, at least some dozens.
    constexpr double kFewest = 32, kShare = 0.1;
    if (seconds > 0 && state.samples > state_.samples && state_.samples > 0) {
        double now = seconds / (state.samples - state_.samples);
        double known = state_.samples;
        double window = std::min(std::max(kFewest, kShare * known), known);
        seconds_a_sample_ += (now - seconds_a_sample_) / window;
    }
    state_ = state;
    bool news =
        state.unfinished && (looks_.empty() || looks_.back().unfinished != *state.unfinished);
    if (news) looks_.push_back({state.samples, *state.unfinished});
}

std::optional<double> TimeLeft::samples_expected() const {
    std::optional<double> expected;
    if (state_.target > 0) expected = state_.target;
    if (state_.unfinished == 0u) return state_.samples;
    if (looks_.size() < 2) return expected;
    // Fits from the first look that has at least half of the newest look's samples.
    auto newest = looks_.back();
    auto from = std::ranges::find_if(
        looks_, [&](const Look& look) { return 2 * look.samples >= newest.samples; });
    if (from == looks_.end() - 1) --from;
    double power = std::log(double(from->unfinished) / std::max(newest.unfinished, 1u)) /
                   std::log(double(newest.samples) / from->samples);
    if (!(power > 0)) return expected;
    double end = newest.samples * std::pow(2.0 * newest.unfinished, 1 / power);
    // times the samples so far: longer extrapolations mean nothing
    constexpr double kFarthest = 100;
    if (!(end < kFarthest * newest.samples)) return expected;
    end = std::max(end, double(state_.samples));
    return expected ? std::min(*expected, end) : end;
}

std::optional<double> TimeLeft::seconds() const {
    auto expected = samples_expected();
    if (!expected || !(seconds_a_sample_ > 0)) return {};
    return std::max(*expected - state_.samples, 0.0) * seconds_a_sample_;
}

std::optional<float> TimeLeft::progress() const {
    auto expected = samples_expected();
    if (!expected) return {};
    return static_cast<float>(std::min(state_.samples / std::max(*expected, 1.0), 1.0));
}

std::string TimeLeft::text() const {
    constexpr double kLongest = 1e7;  // an extrapolation beyond a hundred days means nothing
    auto left = seconds();
    return left && *left < kLongest ? duration_text(*left) + " left" : "";
}

std::string duration_text(double seconds) {
    auto whole = static_cast<long>(seconds + 0.5);
    if (whole < 60) return formatted("%ld s", whole);
    if (whole < 3600) return formatted("%ld min %ld s", whole / 60, whole % 60);
    return formatted("%ld h %ld min", whole / 3600, whole % 3600 / 60);
}

}  // namespace tl
