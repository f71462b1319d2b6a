// Actions for bookmarks, standard views, and the camera as text.
#pragma once

#include <string>

#include "app/viewer/views/camera_controller.h"
#include "renderer/scene/scene_document.h"

namespace tl {

struct ViewerModel;

/// Stores the camera as the bookmark of this number and replaces an older one.
void store_bookmark(ViewerModel& model, int number);
/// Moves the camera to a bookmark, or reports that there is none.
void go_to_bookmark(ViewerModel& model, int number);
void delete_bookmark(ViewerModel& model, int number);
void rename_bookmark(ViewerModel& model, int number, const std::string& name);
/// Smallest free number of a bookmark; 0 if there is none.
[[nodiscard]] int free_bookmark(const Bookmarks& bookmarks);

/// Shows the whole scene from a standard side.
void show_side(ViewerModel& model, ViewSide side);

/// Copies the camera to the clipboard, as flags of the command line.
void copy_camera(ViewerModel& model);
void paste_camera(ViewerModel& model);

}  // namespace tl
