// Progress of ranks that make one picture together, and signs of life between them.
#pragma once

#include <chrono>
#include <vector>

#include "core/ranks/ranks.h"

namespace tl {

/// Messages between ranks of the programs' jobs.
enum RankTag : int { kProgressTag = 1, kAliveTag, kRequestTag, kFrameTag, kPictureTag, kBytesTag };

class RankProgress {
  public:
    /// `limit`: longest time without a sign of a rank.
    RankProgress(RankGroup& ranks, std::chrono::seconds limit);

    /// Takes note of this rank's state, a fraction of its work. Sends it to the root, at most four
    /// times a second; the root receives those of others. Never waits.
    void show(double share);
    /// The mean over the ranks; at the root.
    [[nodiscard]] double mean() const;
    /// Ends this rank's work, and waits until all ranks have ended theirs. `wait`: called at the
    /// root meanwhile. Throws UserError for a rank without a sign for too long.
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
        double share = 0;
        Clock::time_point sign = Clock::now();
    };
    /// A share that means that the rank has ended.
    static constexpr double kEnded = 2;

    void end();
    /// Receives messages and sends signs of life.
    [[nodiscard]] bool all_are_done();
    void receive_states();
    void tell_others(char is_over);
    void require_sign(int rank, Clock::time_point sign) const;
    static void pause();

    RankGroup& ranks_;
    std::chrono::seconds limit_;
    std::vector<State>
        states_;  ///< of all ranks at the root, else only those of itself and the root
    double sent_ = 0;
    RankRequest sending_;
    Clock::time_point last_sent_{}, last_told_ = Clock::now();
};

}  // namespace tl
