// Loads scenes in the background. The newest request wins. No function here uses a device or GL.
#pragma once

#include <string>

#include "accel/parallel/read_log.h"
#include "app/jobs/background_job.h"
#include "renderer/scene/scene_document.h"

namespace tl {

/// Result of a request: a scene, or none if the job ended with an error.
struct LoadedScene {
    std::string path;
    bool keep_camera = false;
    bool keep_edits = false;  ///< of the scene on show, and its bookmarks
    bool unasked = false;     ///< the files have changed, and nobody has asked for it
    SceneDocument document{};
    SceneWork work_of_file{};       ///< set once it is taken
    Box framed{};                   ///< what a camera should show of it
    std::vector<ReadFile> files{};  ///< that were read or looked for, also for an error
};
/// Its name is the file being loaded.
using SceneLoading = BackgroundJob<LoadedScene>;

/// Starts to load the scene of `wanted`; `environment` and `allow_outside` as for load_scene().
void start_loading(SceneLoading& loading, const LoadedScene& wanted,
                   const std::string& environment = "", bool allow_outside = false);

}  // namespace tl
