// Cameras to return to, standard views, and the camera as text.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Keeps the camera under a number, in place of what was kept there.
void store_bookmark(ViewerModel& model, int number);
/// Goes to it, or says that there is none.
void go_to_bookmark(ViewerModel& model, int number);
void delete_bookmark(ViewerModel& model, int number);
void rename_bookmark(ViewerModel& model, int number, const std::string& name);
/// The smallest number that is free; 0 if there is none.
[[nodiscard]] int free_bookmark(const ViewerModel& model);

/// Shows the whole scene from a standard side.
void show_side(ViewerModel& model, ViewSide side);

/// The camera to and from the clipboard, as flags of the command line.
void copy_camera(ViewerModel& model);
void paste_camera(ViewerModel& model);

}  // namespace tl
