// Actions for viewing the points that a renderer has stored, such as photons. Like the actions of
// viewer_actions.h, none of these throws.
#pragma once

namespace tl {

struct PointView;
struct ViewerModel;

/// Shows or hides the points; shows a message if the renderer stores none.
void toggle_points(ViewerModel& model);
/// Switches between colours by group and by value, as the renderer's PointList defines them.
void toggle_point_colors(ViewerModel& model);
/// Sets the maximum number of points drawn.
void set_point_count(PointView& points, int most);

}  // namespace tl
