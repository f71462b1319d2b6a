// Saves the scene that is shown, with all that was changed of it.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Saves to the file that it was last saved as; asks for a name where there is none yet.
void save_scene(ViewerModel& model);
/// Asks for a name in the file browser.
void ask_to_save(ViewerModel& model);
/// Saves as a scene file of this path.
void save_scene_as(ViewerModel& model, const std::string& path);

}  // namespace tl
