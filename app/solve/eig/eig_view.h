// The state of the eigenvalues' section: the chosen task, the running one, and the results.
#pragma once

#include <vector>

#include "app/solve/eig/eig_job.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/viewer_model.h"

namespace tl {

struct EigView final : SectionState {
    static constexpr RunNames kNames{"batch of eigenvalues", "batches of eigenvalues"};
    EigTask task;  ///< chosen in the panel
    BackgroundJob<EigOutcome> job;
    /// In the order they ended, failed ones included; the newest alone keeps its eigenvalues.
    std::vector<EigOutcome> history;
    int matrix = 0;  ///< whose eigenvalues are shown, of the newest outcome
    int settle = 0;  ///< frames still to draw after a run has ended

    void apply_flags(const std::string& device) override { task.device = device; }
    bool poll(ViewerModel& model) override;
    [[nodiscard]] bool active() const override { return job.busy() || settle > 0; }
    void forget() override { forget_runs(history); }
};

[[nodiscard]] inline EigView& eig_of(const ViewerModel& model) {
    return model.state<EigView>();
}

}  // namespace tl
