// Widgets of the poses' section: settings, the matches on both pictures, history.
#pragma once

#include "app/solve/pose/pose_view.h"

namespace tl {

/// Draws a setting's widget, which writes the value itself.
void draw_task_setting(const Setting& setting);
/// Draws both pictures of the newest outcome with their matches: inliers green, outliers red. The
/// cursor finds the nearest match, which is then marked in both, with its epipolar lines.
void draw_matches(PoseView& view, const PoseOutcome& outcome);
/// Draws the newest first.
void draw_pose_history(const std::vector<PoseOutcome>& history);

}  // namespace tl
