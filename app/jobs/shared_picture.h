// One picture that all ranks of a job make together: each samples a part of the pixels.
#pragma once

#include <functional>

#include "app/jobs/rank_progress.h"
#include "session/session.h"

namespace tl {

class SharedPicture {
  public:
    /// Gives the session's film its share. `interrupted` is polled before each sample; true asks
    /// this rank to stop.
    SharedPicture(Session& session, RankGroup& ranks, std::chrono::seconds limit,
                  std::function<bool()> interrupted);
    ~SharedPicture();
    SharedPicture(const SharedPicture&) = delete;
    SharedPicture& operator=(const SharedPicture&) = delete;

    /// Whether this rank stops now. Ranks that sample adaptively stop together, when they exchange
    /// their pixels.
    [[nodiscard]] bool stopped() const;
    /// Takes note of a sample, of `spp`; returns the mean number of samples over the ranks at the
    /// root, any number elsewhere.
    int show(int spp);
    /// State at the root once all ranks have ended.
    struct End {
        int n_stopped = 0;          ///< ranks that were interrupted before their last sample
        std::uint32_t samples = 0;  ///< of the rank that has fewest
    };
    /// Waits for all ranks and adds up their pixels at the root. `wait`: called at the root
    /// meanwhile, with the mean number of samples.
    End finish(int spp, const std::function<void(int samples)>& wait);

  private:
    /// Whether convergence depends on the pixels of other ranks.
    [[nodiscard]] bool is_adaptive() const;
    void exchange_at_all();

    Session& session_;
    RankGroup& ranks_;
    std::function<bool()> interrupted_;
    RankProgress progress_;
    bool all_stopped_ = false;
};

}  // namespace tl
