#include "app/jobs/rank_progress.h"

#include <algorithm>
#include <thread>

#include "core/base/error.h"

namespace tl {

RankProgress::RankProgress(RankGroup& ranks, std::chrono::seconds limit)
    : ranks_(ranks), limit_(limit), states_(static_cast<std::size_t>(ranks.size())) {}

void RankProgress::show(double share) {
    constexpr std::chrono::milliseconds kPause(250);
    auto now = Clock::now();
    auto& own = states_[static_cast<std::size_t>(ranks_.rank())];
    own = {share, now};
    if (ranks_.is_root()) {
        receive_states();
        tell_others(0);
        return;
    }
    if (now - last_sent_ < kPause || !ranks_.is_done(sending_)) return;
    last_sent_ = now;
    sent_ = share;
    sending_ = ranks_.start_send(&sent_, sizeof sent_, 0, kProgressTag);
}

double RankProgress::mean() const {
    double sum = 0;
    for (auto& state : states_) sum += std::min(state.share, 1.0);
    return sum / static_cast<double>(states_.size());
}

void RankProgress::end() {
    states_[static_cast<std::size_t>(ranks_.rank())] = {kEnded, Clock::now()};
    states_[0].sign = Clock::now();
    if (ranks_.is_root()) return;
    ranks_.wait(sending_);
    sent_ = kEnded;
    ranks_.send(&sent_, sizeof sent_, 0, kProgressTag);
}

void RankProgress::receive_states() {
    while (auto message = ranks_.find_message(kProgressTag)) {
        auto& state = states_[static_cast<std::size_t>(message->from)];
        ranks_.receive(&state.share, sizeof state.share, message->from, kProgressTag);
        state.sign = Clock::now();
    }
}

void RankProgress::tell_others(char is_over) {
    // Ranks that have ended wait for the root; a few signs within their limit suffice.
    auto now = Clock::now();
    if (!is_over && now - last_told_ < limit_ / 8) return;
    last_told_ = now;
    for (int rank = 1; rank < ranks_.size(); ++rank)
        if (states_[static_cast<std::size_t>(rank)].share == kEnded)
            ranks_.send(&is_over, 1, rank, kAliveTag);
}

void RankProgress::require_sign(int rank, Clock::time_point sign) const {
    if (Clock::now() - sign > limit_)
        throw UserError("no sign of rank " + std::to_string(rank) + " for " +
                        std::to_string(limit_.count()) +
                        " s: it is lost, or needs a longer --rank-timeout");
}

bool RankProgress::all_are_done() {
    if (ranks_.is_root()) {
        receive_states();
        bool done = true;
        for (int rank = 1; rank < ranks_.size(); ++rank) {
            auto& state = states_[static_cast<std::size_t>(rank)];
            done = done && state.share == kEnded;
            if (state.share != kEnded) require_sign(rank, state.sign);
        }
        tell_others(done ? 1 : 0);
        return done;
    }
    char is_over = 0;
    while (!is_over && ranks_.find_message(kAliveTag)) {
        ranks_.receive(&is_over, 1, 0, kAliveTag);
        states_[0].sign = Clock::now();
    }
    require_sign(0, states_[0].sign);
    return is_over != 0;
}

void RankProgress::pause() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace tl
