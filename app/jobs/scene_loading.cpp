#include "app/jobs/scene_loading.h"

#include <exception>
#include <new>
#include <utility>

#include "renderer/scene/loaders/loader.h"

namespace tl {

SceneLoading::~SceneLoading() {
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
        waiting_.reset();
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void SceneLoading::start(const std::string& path, bool keep_camera,
                         const std::string& environment) {
    {
        std::scoped_lock lock(mutex_);
        waiting_ = Request{path, environment, keep_camera};
        finished_.reset();
        path_ = path;
        started_ = std::chrono::steady_clock::now();
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.notify_all();
}

std::string SceneLoading::path() const {
    std::scoped_lock lock(mutex_);
    return path_;
}

double SceneLoading::seconds() const {
    std::scoped_lock lock(mutex_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

std::optional<LoadedScene> SceneLoading::take() {
    std::scoped_lock lock(mutex_);
    if (!finished_) return std::nullopt;
    path_.clear();
    return std::exchange(finished_, std::nullopt);
}

void SceneLoading::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stop_ || waiting_; });
        if (stop_) return;
        Request request = *std::exchange(waiting_, std::nullopt);
        lock.unlock();
        LoadedScene loaded{request.path, nullptr, "", request.keep_camera};
        try {
            loaded.scene =
                std::make_shared<const Scene>(load_scene(request.path, request.environment));
        } catch (const std::bad_alloc&) {
            loaded.error = request.path + ": not enough memory to load it";
        } catch (const std::exception& error) {
            loaded.error = error.what();
        }
        lock.lock();
        // A newer request has made this one stale.
        if (!waiting_) finished_ = std::move(loaded);
    }
}

}  // namespace tl
