// Actions for viewing patches: control nets and isoparametric curves (uv lines). Like the actions
// of viewer_actions.h, none of these throws.
#pragma once

#include <string>

namespace tl {

struct ViewerModel;

/// Shows or hides the control nets; shows a message if the scene has no patches.
void toggle_control_net(ViewerModel& model);
/// Toggles the uv lines of the Bezier renderer, restoring the last number of lines.
void toggle_uv_lines(ViewerModel& model);
/// The setting uv-lines as text: curves per side of a patch; "0" if the renderer has no such
/// setting.
[[nodiscard]] std::string uv_lines(ViewerModel& model);

}  // namespace tl
