// State of the SVD panel: the chosen task, the running one, and the results.
#pragma once

#include <chrono>
#include <vector>

#include "app/solve/solver_runs.h"
#include "app/solve/svd/svd_job.h"
#include "app/solve/svd/svd_view_flags.h"
#include "app/viewer/viewer_model.h"

namespace tl {

struct SvdView final : SectionState {
    static constexpr RunNames kNames{"decomposition", "decompositions"};
    SvdViewFlags flags;
    SvdTask task;  ///< chosen in the panel; the frame and the scene are added at the start
    BackgroundJob<SvdOutcome> job;
    std::string mode;                 ///< requested for the run in progress
    std::vector<SvdOutcome> history;  ///< in the order they ended, failed ones included
    bool asked = false;               ///< the command line requested a decomposition
    bool due = false;                 ///< a run starts once the frame rate is known
    std::chrono::steady_clock::time_point due_since{};  ///< set by the first frame
    int settle = 0;  ///< frames still to draw after a run has ended

    // The newest decomposed frame and its approximation:
    std::shared_ptr<FrameTriplets> frame;  ///< null: there is none
    int rank = 16;                         ///< requested
    BackgroundJob<RankPicture> approximation;
    RankPicture picture{};  ///< the newest approximation; `preview` has it as grey pixels
    [[nodiscard]] int most_rank() const {
        return frame ? static_cast<int>(frame->svd.values.size()) : 0;
    }

    // Errors of each value and its vectors over several matrices:
    int n_matrices = 10;  ///< requested
    int error_kind = 0;   ///< shown, of value_error_kinds()
    BackgroundJob<SvdErrors> errors_job;
    SvdErrors errors;            ///< the newest; without values if there are none
    bool reveal_errors = false;  ///< the next frame of the panel opens them

    void add_flags(CLI::App& view) override { add_svd_view_flags(view, flags); }
    void apply_flags(const std::string& device) override;
    bool poll(ViewerModel& model) override;
    [[nodiscard]] bool active() const override {
        return due || job.busy() || approximation.busy() || errors_job.busy() || settle > 0;
    }
    [[nodiscard]] bool awaited() const override { return asked && (active() || job.measuring()); }
    void forget() override;
    [[nodiscard]] std::string report() const override;
};

[[nodiscard]] inline SvdView& svd_of(const ViewerModel& model) {
    return model.state<SvdView>();
}

}  // namespace tl
