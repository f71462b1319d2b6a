// The state of the poses' section: the chosen views and task, the running one, and the results.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/solve/pose/pose_job.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/viewer_model.h"

namespace tl {

struct PoseView final : SectionState {
    static constexpr RunNames kNames{"pose", "poses"};
    static constexpr int kCurrentView = 0;

    PoseTask task;              ///< chosen in the panel; views and scene are added at the start
    int first = 1, second = 2;  ///< numbers of bookmarks, or kCurrentView
    BackgroundJob<PoseOutcome> job;
    /// In the order they ended, failed ones included; only the newest keeps its matches.
    std::vector<PoseOutcome> history;
    bool cameras_shown = true;  ///< the views of the newest outcome are drawn in the scene
    std::weak_ptr<const Scene> of_scene;  ///< scene of the newest run
    std::optional<std::size_t> pointed;   ///< match of the newest outcome under the cursor
    int settle = 0;                       ///< frames still to draw after a run has ended

    void apply_flags(const std::string& device) override { task.device = device; }
    bool poll(ViewerModel& model) override;
    [[nodiscard]] bool active() const override { return job.busy() || settle > 0; }
    void forget() override;
};

[[nodiscard]] inline PoseView& pose_of(const ViewerModel& model) {
    return model.state<PoseView>();
}

}  // namespace tl
