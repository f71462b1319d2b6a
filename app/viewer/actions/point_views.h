// Actions for viewing the points that a renderer has stored, such as photons. Like the actions of
// viewer_actions.h, none of these throws.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Shows or hides the points; shows a message if the renderer stores none.
void toggle_points(ViewerModel& model);
/// Switches between colours by group and by value.
void toggle_point_colors(ViewerModel& model);
/// Sets how many points are drawn at most.
void set_point_count(ViewerModel& model, int most);
/// Collects the points again if they, the view or the choice have changed, but only from time to
/// time unless `at_once`. Waits for the device if it does.
void update_points(ViewerModel& model, bool at_once);

}  // namespace tl
