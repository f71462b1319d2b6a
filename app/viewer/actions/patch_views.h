// Actions for viewing patches: control nets and lines of equal u and v. Like the actions of
// viewer_actions.h, none of these throws.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Shows or hides the control nets; shows a message if the scene has no patches.
void toggle_control_net(ViewerModel& model);
/// Switches the uv lines of the Bezier backend on (as many as were last shown) or off.
void toggle_uv_lines(ViewerModel& model);
/// Number of uv lines in use; "0" if the renderer draws none.
[[nodiscard]] std::string uv_lines(ViewerModel& model);

}  // namespace tl
