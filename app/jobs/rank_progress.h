// Progress of ranks that work on one task, and heartbeats between them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/ranks/ranks.h"

namespace tl {

/// Tags of messages.
enum RankTag : int {
    kProgressTag = 1,
    kAliveTag,
    kRequestTag,
    kFrameTag,
    kPictureTag,
    kBytesTag,
    kSumsTag,
    kPixelsTag
};

/// Sends the fraction of a rank's work that is done to the root, at most four times a second, as a
/// heartbeat.
class ProgressSender {
  public:
    explicit ProgressSender(RankGroup& ranks) : ranks_(ranks) {}
    /// Never waits.
    void send(double fraction);
    /// Waits until the newest message has left.
    void finish() { ranks_.wait(sending_); }

  private:
    RankGroup& ranks_;
    double sent_ = 0;
    RankRequest sending_;
    std::chrono::steady_clock::time_point last_{};
};

/// "no sign of rank 2 for 600 s: it is lost, or needs a longer --rank-timeout".
[[nodiscard]] std::string lost_rank_text(int rank, std::chrono::seconds limit);

class RankProgress {
  public:
    /// `limit`: longest time between heartbeats of a rank.
    RankProgress(RankGroup& ranks, std::chrono::seconds limit);

    /// Records the fraction of this rank's work that is done, and exchanges heartbeats. Never
    /// waits.
    void show(double fraction);
    /// The mean over the ranks; at the root.
    [[nodiscard]] double mean() const;
    /// Ends this rank's work, and waits until all ranks have ended theirs. `wait`: called
    /// meanwhile. Throws UserError for a rank without a heartbeat for too long.
    template <class Wait>
    void finish(const Wait& wait) {
        end();
        while (!all_are_done()) {
            wait();
            pause();
        }
    }

  private:
    using Clock = std::chrono::steady_clock;
    struct State {
        double fraction = 0;
        Clock::time_point heartbeat = Clock::now();
    };
    /// A fraction that means that the rank has ended.
    static constexpr double kEnded = 2;

    void end();
    /// Receives messages and sends heartbeats.
    [[nodiscard]] bool all_are_done();
    void receive_states();
    /// At the root: to the ranks that wait for the end. `is_over`: all have ended.
    void send_heartbeats(char is_over);
    void require_heartbeat(int rank) const;
    static void pause();

    RankGroup& ranks_;
    std::chrono::seconds limit_;
    std::vector<State> states_;  // at the root of all ranks, else of this one and the root
    ProgressSender sender_;
    Clock::time_point last_heartbeats_ = Clock::now();
};

}  // namespace tl
