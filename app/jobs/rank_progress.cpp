#include "app/jobs/rank_progress.h"

#include <algorithm>
#include <thread>

#include "core/base/error.h"

namespace tl {

void ProgressSender::send(double fraction) {
    constexpr std::chrono::milliseconds kPause(250);
    auto now = std::chrono::steady_clock::now();
    if (now - last_ < kPause || !ranks_.is_done(sending_)) return;
    last_ = now;
    sent_ = fraction;
    sending_ = ranks_.start_send(&sent_, sizeof sent_, 0, kProgressTag);
}

std::string lost_rank_text(int rank, std::chrono::seconds limit) {
    return "no sign of rank " + std::to_string(rank) + " for " + std::to_string(limit.count()) +
           " s: it is lost, or needs a longer --rank-timeout";
}

RankProgress::RankProgress(RankGroup& ranks, std::chrono::seconds limit)
    : ranks_(ranks),
      limit_(limit),
      states_(static_cast<std::size_t>(ranks.size())),
      sender_(ranks) {}

void RankProgress::show(double fraction) {
    states_[static_cast<std::size_t>(ranks_.rank())] = {fraction, Clock::now()};
    if (!ranks_.is_root()) return sender_.send(fraction);
    receive_states();
    send_heartbeats(0);
}

double RankProgress::mean() const {
    double sum = 0;
    for (auto& state : states_) sum += std::min(state.fraction, 1.0);
    return sum / static_cast<double>(states_.size());
}

void RankProgress::end() {
    states_[static_cast<std::size_t>(ranks_.rank())] = {kEnded, Clock::now()};
    states_[0].heartbeat = Clock::now();
    if (ranks_.is_root()) return;
    sender_.finish();
    ranks_.send(&kEnded, sizeof kEnded, 0, kProgressTag);
}

void RankProgress::receive_states() {
    while (auto message = ranks_.find_message(kProgressTag)) {
        auto& state = states_[static_cast<std::size_t>(message->from)];
        ranks_.receive(&state.fraction, sizeof state.fraction, message->from, kProgressTag);
        state.heartbeat = Clock::now();
    }
}

void RankProgress::send_heartbeats(char is_over) {
    // A few within the limit suffice.
    auto now = Clock::now();
    if (!is_over && now - last_heartbeats_ < limit_ / 8) return;
    last_heartbeats_ = now;
    for (int rank = 1; rank < ranks_.size(); ++rank)
        if (states_[static_cast<std::size_t>(rank)].fraction == kEnded)
            ranks_.send(&is_over, 1, rank, kAliveTag);
}

void RankProgress::require_heartbeat(int rank) const {
    if (Clock::now() - states_[static_cast<std::size_t>(rank)].heartbeat > limit_)
        throw UserError(lost_rank_text(rank, limit_));
}

bool RankProgress::all_are_done() {
    if (ranks_.is_root()) {
        receive_states();
        bool done = true;
        for (int rank = 1; rank < ranks_.size(); ++rank) {
            bool has_ended = states_[static_cast<std::size_t>(rank)].fraction == kEnded;
            done = done && has_ended;
            if (!has_ended) require_heartbeat(rank);
        }
        send_heartbeats(done ? 1 : 0);
        return done;
    }
    char is_over = 0;
    while (!is_over && ranks_.find_message(kAliveTag)) {
        ranks_.receive(&is_over, 1, 0, kAliveTag);
        states_[0].heartbeat = Clock::now();
    }
    require_heartbeat(0);
    return is_over != 0;
}

void RankProgress::pause() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace tl
