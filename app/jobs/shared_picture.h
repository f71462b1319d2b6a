// One picture that all ranks of a job make together: each samples its share of the pixels.
#pragma once

#include <functional>

#include "app/jobs/rank_progress.h"
#include "session/session.h"

namespace tl {

class SharedPicture {
  public:
    /// Gives the session's film its share. `interrupted`: whether this rank is to end early.
    SharedPicture(Session& session, RankGroup& ranks, std::chrono::seconds limit,
                  std::function<bool()> interrupted);
    ~SharedPicture();
    SharedPicture(const SharedPicture&) = delete;
    SharedPicture& operator=(const SharedPicture&) = delete;

    /// Whether this rank ends now. Ranks that sample adaptively end together.
    [[nodiscard]] bool stopped() const;
    /// Takes note of a sample, of `spp`; returns the mean number of samples of all ranks, which the
    /// root knows.
    int show(int spp);
    /// Waits for all ranks and joins their pixels at the root. `wait`: called at the root
    /// meanwhile, with the mean number of samples.
    void finish(int spp, const std::function<void(int samples)>& wait);

  private:
    /// Whether convergence depends on the pixels of other ranks.
    [[nodiscard]] bool is_adaptive() const;
    void join_for_look();

    Session& session_;
    RankGroup& ranks_;
    std::function<bool()> interrupted_;
    RankProgress progress_;
    bool all_stop_ = false;
};

}  // namespace tl
