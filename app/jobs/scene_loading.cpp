#include "app/jobs/scene_loading.h"

#include "renderer/scene/loaders/loader.h"

namespace tl {

void start_loading(SceneLoading& loading, const std::string& path, bool keep_camera,
                   const std::string& environment, bool allow_outside) {
    auto load = [environment, allow_outside](JobRun& run, LoadedScene& loaded) {
        loaded.scene =
            std::make_shared<const Scene>(load_scene(loaded.path, environment, allow_outside));
        run.report(1);  // loading goes on to its end, but what was cancelled is not opened
    };
    loading.start(path, {path, keep_camera}, load);
}

}  // namespace tl
