// What the user can do, for keys, menus and panels alike. None of them throws: what goes wrong is
// shown and the viewer stays as it was.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Loads in the background; the running scene stays until that has gone well.
void open_scene(ViewerModel& model, const std::string& path);
void reload_scene(ViewerModel& model);
/// Takes what has been loaded since, on the main thread. True when the scene has changed.
bool finish_loading(ViewerModel& model);
/// Tells camera and title of the session's scene.
void adopt_scene(ViewerModel& model, bool keep_camera);

void choose_device(ViewerModel& model, const std::string& id);
void choose_renderer(ViewerModel& model, const std::string& id);
void choose_builder(ViewerModel& model, const std::string& id);
/// A setting of such a section; an empty value means its default.
void change_setting(ViewerModel& model, const std::string& section, const std::string& id,
                    const std::string& value);
/// Adds to the exposure, within its range; 0 resets it.
void change_exposure(ViewerModel& model, float stops);

/// The scene's motion goes on or stops; says so where nothing moves.
void toggle_motion(ViewerModel& model);
/// Goes to a moment of the motion, seconds; before its start is its end.
void set_motion_time(ViewerModel& model, float seconds);
/// Goes on by a number of frames of kMotionStep and stops there.
void step_motion(ViewerModel& model, int frames);
inline constexpr float kMotionStep = 1.0f / 60;  ///< seconds

/// Opens the tab of a section of the side panel and scrolls to the section.
void reveal_section(ViewerModel& model, const std::string& id);

void frame_all(ViewerModel& model);
void copy_camera(ViewerModel& model);
/// `extension` ".png" (as shown) or ".hdr" (linear). A picture made coarser by motion is made fine
/// first, in the next frame.
void take_screenshot(ViewerModel& model, const std::string& extension);
void measure_tree(ViewerModel& model);
/// Starts adding samples anew, also after an error.
void restart(ViewerModel& model);

/// Shows a folder in the file browser; "" is the last one.
void browse(ViewerModel& model, const std::string& folder);

}  // namespace tl
