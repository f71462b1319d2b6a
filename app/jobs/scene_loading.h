// Loads scenes in the background. The newest request wins. No function here uses a device or GL.
#pragma once

#include <string>

#include "app/jobs/background_job.h"
#include "core/base/read_log.h"
#include "renderer/scene/scene_document.h"

namespace tl {

/// Result of a request: a scene, or none if the job ended with an error.
struct LoadedScene {
    std::string path;
    bool keep_camera = false;
    bool keep_edits = false;  ///< keep the edits and bookmarks of the scene on show
    bool unasked = false;     ///< reloaded because files changed, not on request
    SceneDocument document{};
    SceneWork work_of_file{};       ///< set once it is taken
    Box framed{};                   ///< bounds that a camera should show
    std::vector<ReadFile> files{};  ///< files read or searched for, also after an error
};
/// Background job that loads a scene; the job's name is the file being loaded.
using SceneLoading = BackgroundJob<LoadedScene>;

/// Starts to load the scene of `wanted`. `environment` and `allow_outside` as for load_scene().
void start_loading(SceneLoading& loading, const LoadedScene& wanted,
                   const std::string& environment = "", bool allow_outside = false);

}  // namespace tl
