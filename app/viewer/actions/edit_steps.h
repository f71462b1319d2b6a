// Undo and redo of what the user sets and edits.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Takes note of an edit that has just been made, as a step that undo() takes back.
void record(ViewerModel& model, const EditStep& step);
/// Forgets all steps, as when another scene has been opened.
void forget_steps(ViewerModel& model);

/// Takes the last step back, or makes it again; a message says what. Where the device changes, the
/// loop waits while the scene is copied to it.
void undo(ViewerModel& model);
void redo(ViewerModel& model);

}  // namespace tl
