// How patches are looked at: by their control nets, by lines of equal u and v. Like the actions of
// viewer_actions.h, none of these throws.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Says so where the scene has no patches.
void toggle_control_net(ViewerModel& model);
/// Draws lines of equal u and v by the Bezier backend, as many as were there last, or none again.
void toggle_uv_lines(ViewerModel& model);
/// "0" where the renderer draws none.
[[nodiscard]] std::string uv_lines(ViewerModel& model);
/// Looks at the nets again where they are no longer those of the frame. Waits for the device when
/// it does.
void update_control_net(ViewerModel& model);

}  // namespace tl
