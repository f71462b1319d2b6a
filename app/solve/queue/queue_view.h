// The state of the queue's section: the chosen tasks, the run in progress, and the results.
#pragma once

#include <memory>
#include <vector>

#include "app/solve/queue/queue_job.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/viewer_model.h"

namespace tl {

struct QueueView final : SectionState {
    static constexpr RunNames kNames{"run of the queue", "runs of the queue"};
    QueuePanelTask task;  ///< chosen in the panel
    std::shared_ptr<LiveTimeline> live = std::make_shared<LiveTimeline>();
    BackgroundJob<QueueOutcome> job;
    std::vector<QueueOutcome> history;  ///< in the order they ended, failed ones included
    int settle = 0;                     ///< frames still to draw after a run has ended

    void apply_flags(const std::string& device) override { task.device = device; }
    bool poll(ViewerModel& model) override;
    [[nodiscard]] bool active() const override { return job.busy() || settle > 0; }
    void forget() override { forget_runs(history); }
};

[[nodiscard]] inline QueueView& queue_of(const ViewerModel& model) {
    return model.state<QueueView>();
}

/// Runs the tasks chosen in the panel, or cancels the run in progress.
void toggle_queue(ViewerModel& model);

/// History as a table, a row for each run.
[[nodiscard]] std::string history_csv(const QueueView& view);
/// History as JSON, with all work on each lane.
[[nodiscard]] std::string history_json(const QueueView& view);

}  // namespace tl
