// Handles that move, rotate and scale the selection by drags in the picture.
#pragma once

#include <vector>

#include "app/viewer/viewer_interface.h"
#include "app/viewer/views/gizmo_view.h"

namespace tl {

struct ViewerModel;

/// Shows handles of this kind; those in use are hidden.
void toggle_gizmo(ViewerModel& model, GizmoMode mode);
/// Finds the handles of the selection as a picture of this camera shows them. `scale`: of the
/// interface. Ends a drag whose target is no longer selected.
void update_gizmo(ViewerModel& model, const Camera& camera, float scale);

/// Begins a drag if there is a handle at the pixel; returns whether there is.
bool begin_gizmo_drag(ViewerModel& model, vec2 pixel);
/// Moves the dragged handle by some pixels, or applies other keys to the drag.
void drag_gizmo(ViewerModel& model, vec2 moved, GizmoKeys keys);
/// Requests the newest change of a drag once a picture shows the last one. Returns whether it did.
bool follow_gizmo_drag(ViewerModel& model);
/// Ends a drag with its newest change, which is one step of undo.
void end_gizmo_drag(ViewerModel& model);
/// Ends a drag and restores its target.
void cancel_gizmo_drag(ViewerModel& model);

/// Commands that show handles.
[[nodiscard]] std::vector<ViewerCommand> gizmo_commands();

}  // namespace tl
