// Context of the readers of a scene's files.
#pragma once

#include "core/base/read_observer.h"

namespace tl {

class SceneAccess;

/// Permissions of the readers of one scene's files, and the observer of their reports. A default
/// one permits the program's own files and the fetched models, and observes nothing.
struct ReadContext : ReadObserver {
    const SceneAccess* access = nullptr;  ///< of the opened scene (scene_paths.h); null: none
};

}  // namespace tl
