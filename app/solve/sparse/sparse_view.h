// The state of the section for sparse systems: the chosen task, the running one, and the results.
#pragma once

#include <vector>

#include "app/solve/solver_runs.h"
#include "app/solve/sparse/sparse_job.h"
#include "app/viewer/viewer_model.h"

namespace tl {

struct SparseView final : SectionState {
    static constexpr RunNames kNames{"sparse system", "sparse systems"};
    SparsePanelTask task;  ///< chosen in the panel
    BackgroundJob<SparseOutcome> job;
    std::vector<SparseOutcome> history;  ///< in the order they ended, failed ones included
    int settle = 0;                      ///< frames still to draw after a run has ended

    void apply_flags(const std::string& device) override { task.device = device; }
    bool poll(ViewerModel& model) override;
    [[nodiscard]] bool active() const override { return job.busy() || settle > 0; }
    void forget() override { forget_runs(history); }
};

[[nodiscard]] inline SparseView& sparse_of(const ViewerModel& model) {
    return model.state<SparseView>();
}

/// Solves the system chosen in the panel; shows a message if one is already being solved.
void start_sparse(ViewerModel& model);
/// Solves the system chosen in the panel, or cancels the run in progress.
void toggle_sparse(ViewerModel& model);

/// The history as a table, a row for each run.
[[nodiscard]] std::string history_csv(const SparseView& view);
/// The same as JSON, with all results.
[[nodiscard]] std::string history_json(const SparseView& view);

}  // namespace tl
