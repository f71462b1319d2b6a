// Undo and redo of settings and scene edits.
#pragma once

#include "app/viewer/views/edit_history.h"

namespace tl {

struct ViewerModel;

/// Records an edit that has just been made, as a step that undo() reverts.
void record(ViewerModel& model, const EditStep& step);
/// Drops all steps, as when another scene has been opened.
void clear_history(ViewerModel& model);

/// Reverts the last edit and shows its name. If that changes the device, the main loop waits for
/// the scene's upload.
void undo(ViewerModel& model);
/// Reapplies the last reverted edit, in the same way.
void redo(ViewerModel& model);

}  // namespace tl
