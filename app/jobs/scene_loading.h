// Loads scenes in the background. The newest request wins. No function here uses a device or GL.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/jobs/background_job.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Result of a request: a scene, or the reason why there is none.
struct LoadedScene {
    std::string path;
    std::shared_ptr<const Scene> scene;
    std::string error;
    bool keep_camera = false;
};

class SceneLoading {
  public:
    /// `environment` as for load_scene().
    void start(const std::string& path, bool keep_camera, const std::string& environment = "");
    /// The file being loaded, "" when there is none.
    [[nodiscard]] const std::string& path() const { return job_.name(); }
    [[nodiscard]] bool busy() const { return job_.busy(); }
    /// Seconds since the load in progress was requested.
    [[nodiscard]] double seconds() const { return job_.seconds(); }
    /// The scene whose loading has finished since the last call, if any; never waits.
    [[nodiscard]] std::optional<LoadedScene> take();

  private:
    BackgroundJob<LoadedScene> job_;
};

}  // namespace tl
