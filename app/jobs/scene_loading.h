// Loads scenes in a thread of its own while frames go on. The newest request wins; one that waits
// is dropped. Nothing here touches a device or GL.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "renderer/scene/scene.h"

namespace tl {

/// What came of a request: a scene, or the reason why there is none.
struct LoadedScene {
    std::string path;
    std::shared_ptr<const Scene> scene;
    std::string error;
    bool keep_camera = false;
};

class SceneLoading {
  public:
    SceneLoading() = default;
    /// Waits for the load in progress: a thread cannot be stopped in the middle of a file.
    ~SceneLoading();
    SceneLoading(const SceneLoading&) = delete;
    SceneLoading& operator=(const SceneLoading&) = delete;

    /// `environment` as for load_scene().
    void start(const std::string& path, bool keep_camera, const std::string& environment = "");
    /// The file being loaded, "" when there is none.
    [[nodiscard]] std::string path() const;
    [[nodiscard]] bool busy() const { return !path().empty(); }
    /// Seconds since the load in progress was asked for.
    [[nodiscard]] double seconds() const;
    /// What has finished since the last call; never waits.
    [[nodiscard]] std::optional<LoadedScene> take();

  private:
    struct Request {
        std::string path, environment;
        bool keep_camera = false;
    };
    void work();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> waiting_;
    std::string path_;
    std::optional<LoadedScene> finished_;
    std::chrono::steady_clock::time_point started_;
    bool stop_ = false;
    std::thread thread_;  // started by the first request
};

}  // namespace tl
