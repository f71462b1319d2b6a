#include "app/solve/pose/pose_row.h"

#include "app/solve/pose/pose_view.h"
#include "core/device/registry.h"

namespace tl {

SolverRow pose_row() {
    auto& family = find_row(solver_families(), "pose", "family of solvers");
    PanelSection section{
        .id = family.id,
        .title = family.title,
        .tab = PanelTab::solvers,
        .draw = draw_pose_panel,
        .commands = pose_commands,
        .make_state = []() -> std::unique_ptr<SectionState> {
            return std::make_unique<PoseView>();
        },
        .words =
            "views bookmarks matches noise outliers features threshold confidence samples seed "
            "epipolar inliers ransac",
        .widgets = pose_widgets()};
    return {add_solve_pose_command, add_bench_pose_command, section};
}

}  // namespace tl
