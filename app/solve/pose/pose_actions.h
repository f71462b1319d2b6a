// User actions on poses, for keys, menus and the panel. None throws.
#pragma once

#include "app/solve/pose/pose_view.h"

namespace tl {

/// Estimates the pose between the views chosen in the panel; shows a message if that cannot be, or
/// if one is already being estimated.
void start_pose(ViewerModel& model);
/// Estimates it, or cancels the run in progress.
void toggle_pose(ViewerModel& model);
/// Draws the newest outcome's cameras in the scene, or no longer.
void show_cameras(PoseView& view, bool shown);

/// "bookmark 2: door", "the view as it is".
[[nodiscard]] std::string name_of_view(const ViewerModel& model, int number);

/// The history as a table, a row for each run.
[[nodiscard]] std::string history_csv(const PoseView& view);
[[nodiscard]] std::string history_json(const PoseView& view);

}  // namespace tl
