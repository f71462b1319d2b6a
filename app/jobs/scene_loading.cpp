#include "app/jobs/scene_loading.h"

#include "renderer/scene/loaders/loader.h"

namespace tl {

void start_loading(SceneLoading& loading, const std::string& path, bool keep_camera,
                   const std::string& environment, bool allow_outside) {
    loading.start(
        path, {path, keep_camera}, [environment, allow_outside](JobRun&, LoadedScene& loaded) {
            loaded.scene =
                std::make_shared<const Scene>(load_scene(loaded.path, environment, allow_outside));
        });
}

}  // namespace tl
