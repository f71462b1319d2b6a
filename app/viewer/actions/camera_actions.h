// Actions for bookmarks, standard views, and the camera as text.
#pragma once

#include <string>

#include "app/viewer/views/camera_controller.h"
#include "renderer/scene/scene_document.h"

namespace tl {

struct ProbedPixel;
struct ViewerModel;
enum class PickPurpose;

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

/// Makes the next click in the picture set a part of the camera; the same again takes that back.
void toggle_picking(ViewerModel& model, PickPurpose purpose);
/// Takes back the request for a click.
void stop_picking(ViewerModel& model);
/// "click on the new target, Esc cancels".
[[nodiscard]] std::string pick_hint(PickPurpose purpose);
/// Sets the picked part of the camera to the surface at a clicked pixel, without turning the view.
/// Says so where there is none.
void use_picked(ViewerModel& model, const ProbedPixel& found);
/// Changes the camera, or says why it cannot be so.
void change_camera(ViewerModel& model, const Camera& camera);

/// Copies the camera to the clipboard, as flags of the command line.
void copy_camera(ViewerModel& model);
void paste_camera(ViewerModel& model);

}  // namespace tl
