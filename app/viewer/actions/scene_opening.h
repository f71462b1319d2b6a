// Opens scenes: they are loaded beside the frames, copied to the device with their trees, and then
// replace the one on show.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Loads in the background; the current scene stays until loading has succeeded.
void open_scene(ViewerModel& model, const std::string& path);
void reload_scene(ViewerModel& model);
/// Begins or ends to load the scene again whenever one of its files has changed.
void toggle_watch(ViewerModel& model);
/// Loads the scene again, with the camera as it is, if it is watched and has changed.
void reload_changed(ViewerModel& model);
/// Takes a scene that has finished loading and replaces the session's by it, which may take until
/// a later frame. True if loading has ended.
bool finish_loading(ViewerModel& model);
/// Sets the camera for the session's scene, of which it should show `framed` (framing_bounds).
void adopt_scene(ViewerModel& model, const Box& framed, bool keep_camera);
/// Applies what the options ask for the first scene, once it is open: its camera and motion, a
/// comparison.
void use_first_view(ViewerModel& model);

}  // namespace tl
