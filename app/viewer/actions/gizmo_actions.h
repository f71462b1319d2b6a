// Handles that move, rotate and scale the selection by drags in the picture.
#pragma once

#include <vector>

#include "app/viewer/viewer_interface.h"
#include "app/viewer/views/gizmo_view.h"

namespace tl {

struct ViewerModel;

/// Shows the handles of a mode, or hides them if they are shown. Ends a drag: end_gizmo_drag().
void toggle_gizmo(ViewerModel& model, GizmoMode mode);
/// Places the selection's handles and finds the hovered one, for a picture by this camera. Drops a
/// drag whose target is no longer selected. `scale`: scale of the interface.
void update_gizmo(ViewerModel& model, const Camera& camera, float scale);

/// Begins a drag if a handle is at the framebuffer pixel; returns whether one is.
bool begin_gizmo_drag(ViewerModel& model, vec2 pixel);
/// Moves the dragged handle by `moved` pixels; `moved` may be 0 when only the keys have changed.
void drag_gizmo(ViewerModel& model, vec2 moved, GizmoKeys keys);
/// Requests the newest change of a drag as an edit, once a picture shows the previous one. Returns
/// whether an edit was requested.
bool follow_gizmo_drag(ViewerModel& model);
/// Ends a drag with its newest change. The whole drag is one step of undo.
void end_gizmo_drag(ViewerModel& model);
/// Ends a drag and restores its target to the values before the drag.
void cancel_gizmo_drag(ViewerModel& model);

/// Commands that show handles or align them with the object's own axes.
[[nodiscard]] std::vector<ViewerCommand> gizmo_commands();

}  // namespace tl
