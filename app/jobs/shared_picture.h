// One picture that all ranks of a job make together: each samples a part of the pixels.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
    /// Takes note of a sample, of `spp`, and takes part in collect(); returns the mean number of
    /// samples over the ranks at the root, any number elsewhere.
    int show(int spp);
    /// Brings the pixels of all ranks to the root, after a sample there; may wait for a sample of
    /// each. Returns the samples of each rank. Ranks that sample adaptively exchange their pixels
    /// only after some samples: none after the others. Root only.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>> collect();
    /// State at the root once all ranks have ended.
    struct End {
        int n_stopped = 0;                   ///< ranks interrupted before their last sample
        std::vector<std::uint32_t> samples;  ///< of each rank
        [[nodiscard]] std::uint32_t fewest() const { return std::ranges::min(samples); }
    };
    /// Waits for all ranks and brings their pixels to the root. `wait`: called at the root
    /// meanwhile, with the mean number of samples; may call collect().
    End finish(int spp, const std::function<void(int samples)>& wait);

  private:
    /// Whether convergence depends on the pixels of other ranks.
    [[nodiscard]] bool is_adaptive() const;
    void exchange_at_all();
    /// At ranks other than the root: answers its collect().
    void answer();
    /// Brings the pixels of all ranks to the root, or to all.
    void gather(bool at_all);
    /// Brings pixels and texts of all ranks to the root.
    std::vector<std::string> bring_together(const std::string& text);

    Session& session_;
    RankGroup& ranks_;
    FilmShare share_;  ///< of this rank
    std::function<bool()> interrupted_;
    RankProgress progress_;
    bool all_stopped_ = false;
    std::uint32_t exchanged_at_ = 0;  ///< samples at the newest exchange between all
};

}  // namespace tl
