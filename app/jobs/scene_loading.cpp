#include "app/jobs/scene_loading.h"

#include "renderer/scene/loaders/loader.h"

namespace tl {

void start_loading(SceneLoading& loading, const std::string& path, bool keep_camera,
                   const std::string& environment) {
    loading.start(path, {path, keep_camera}, [environment](JobRun& run, LoadedScene& loaded) {
        loaded.scene = std::make_shared<const Scene>(load_scene(loaded.path, environment));
        run.report(1);  // loading goes on to its end, but what was cancelled is not opened
    });
}

}  // namespace tl
