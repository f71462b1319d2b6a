// Undo and redo of what the user sets and edits.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Records an edit that has just been made, as a step that undo() reverts.
void record(ViewerModel& model, const EditStep& step);
/// Drops all steps, as when another scene has been opened.
void forget_steps(ViewerModel& model);

/// Reverts the last step, or repeats it; a message names it. If the device changes, the loop waits
/// while the scene is copied to it.
void undo(ViewerModel& model);
void redo(ViewerModel& model);

}  // namespace tl
