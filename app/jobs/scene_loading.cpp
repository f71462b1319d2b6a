#include "app/jobs/scene_loading.h"

#include "accel/parallel/read_progress.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {

void start_loading(SceneLoading& loading, const std::string& path, bool keep_camera,
                   const std::string& environment, bool allow_outside) {
    auto load = [environment, allow_outside](JobRun& run, LoadedScene& loaded) {
        run.enter("making the scene");
        ReadProgress progress([&run](double share) {
            if (share == 0) run.enter("reading");
            if (share < 1) return run.report(share);
            run.enter("making the scene");
        });
        loaded.document = load_document(loaded.path, environment, allow_outside);
        run.report(1);  // what was cancelled is not opened
    };
    loading.start(path, {path, keep_camera}, load);
}

}  // namespace tl
