// Saves the scene with all edits.
#pragma once

#include <functional>
#include <string>

namespace tl {

struct ViewerModel;

/// Action after the scene is saved; may be null.
using AfterSaving = std::function<void(ViewerModel&)>;

/// Saves to the file that the scene was last saved as; asks for a name if there is none yet.
void save_scene(ViewerModel& model, const AfterSaving& then = {});
/// Asks for a name in the file browser.
void ask_to_save(ViewerModel& model, const AfterSaving& then = {});
/// Saves as a scene file at this path.
void save_scene_as(ViewerModel& model, const std::string& path, const AfterSaving& then = {});

/// Opens the folder of a file in the desktop's file manager, or shows why it cannot.
void open_folder(ViewerModel& model, const std::string& path);

/// Asks for a picture in the file browser, and compares with it.
void ask_for_compared_picture(ViewerModel& model);

/// Asks for name, folder and format of the picture in the file browser, and saves it.
void ask_to_save_picture(ViewerModel& model);

}  // namespace tl
