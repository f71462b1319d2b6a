#include "app/jobs/scene_loading.h"

#include "renderer/scene/loaders/loader.h"

namespace tl {

void SceneLoading::start(const std::string& path, bool keep_camera,
                         const std::string& environment) {
    job_.start(path, {path, nullptr, "", keep_camera}, [environment](JobRun&, LoadedScene& loaded) {
        loaded.scene = std::make_shared<const Scene>(load_scene(loaded.path, environment));
    });
}

std::optional<LoadedScene> SceneLoading::take() {
    auto ended = job_.take();
    if (!ended) return std::nullopt;
    ended->result.error = ended->error;
    return std::move(ended->result);
}

}  // namespace tl
