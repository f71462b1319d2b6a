// Opens scenes: loads them in the background, copies them to the device with their trees, and then
// replaces the one on show.
#pragma once

#include <string>

namespace tl {

struct Box;
struct ViewerModel;

/// Loads a scene in the background; the current scene stays until loading has succeeded.
void open_scene(ViewerModel& model, const std::string& path);
void reload_scene(ViewerModel& model);
/// Starts or stops reloading the scene whenever one of its files has changed.
void toggle_watch(ViewerModel& model);
/// Reloads the scene, with the camera as it is, if it is watched and has changed.
void reload_changed(ViewerModel& model);
/// Takes a scene that has finished loading and replaces the session's, possibly in a later frame.
/// Returns whether loading has ended.
bool finish_loading(ViewerModel& model);
/// Sets the camera for the session's scene. `framed`: bounds that it should show (framing_bounds).
void adopt_scene(ViewerModel& model, const Box& framed, bool keep_camera);
/// Applies the options for the first scene, once it is open: its camera and motion, a comparison.
void use_first_view(ViewerModel& model);

}  // namespace tl
