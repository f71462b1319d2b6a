// The state of the section for dense algebra: the chosen task, the running one, and the results.
#pragma once

#include <vector>

#include "app/solve/dense/dense_job.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/viewer_model.h"

namespace tl {

struct DenseView final : SectionState {
    static constexpr RunNames kNames{"problem of dense algebra", "problems of dense algebra"};
    DensePanelTask task;  ///< chosen in the panel
    BackgroundJob<DenseOutcome> job;
    std::vector<DenseOutcome> history;  ///< in the order they ended, failed ones included
    int settle = 0;                     ///< frames still to draw after a run has ended

    void apply_flags(const std::string& device) override { task.device = device; }
    bool poll(ViewerModel& model) override;
    [[nodiscard]] bool active() const override { return job.busy() || settle > 0; }
    void forget() override { forget_runs(history); }
};

[[nodiscard]] inline DenseView& dense_of(const ViewerModel& model) {
    return model.state<DenseView>();
}

/// Solves the problem chosen in the panel; shows a message if one is already being solved.
void start_dense(ViewerModel& model);
/// Solves the problem chosen in the panel, or cancels the run in progress.
void toggle_dense(ViewerModel& model);

/// The history as a table, a row for each run.
[[nodiscard]] std::string history_csv(const DenseView& view);
/// The same as JSON, with all results and stages.
[[nodiscard]] std::string history_json(const DenseView& view);

}  // namespace tl
