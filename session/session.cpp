#include "session/session.h"

#include <algorithm>

#include "core/base/console.h"
#include "core/base/error.h"
#include "session/session_preparation.h"
#include "session/split/split_frames.h"

namespace tl {

Session::Session(Device& device, std::shared_ptr<Stream> stream)
    : scene_(std::make_shared<Scene>()) {
    set_device(device, std::move(stream));
}

Session::~Session() {
    // Trees are freed on the build stream, which does not wait for their readers.
    if (ahead_) finish_before_leaving();
}

void Session::finish_before_leaving() {
    try {
        finish_work();
    } catch (const UserError& error) {
        print_error(error.what());
    }
}

void Session::trim() {
    if (split_) split_->trim();
    scratch_->release();
    try {
        film_.trim(*stream_);
    } catch (const UserError&) {
        // Then it keeps what it has.
    }
    device_->trim();
}

void Session::finish_work() {
    if (stream_) stream_->synchronize();
    if (ahead_) ahead_->synchronize();
}

void Session::adopt(PreparedDevice prepared) {
    split_.reset();  // it has memory on the stream
    finish_before_leaving();
    display_.clear();
    film_ = std::move(prepared.film);
    film_.set_share(share_);
    renderer_ = std::move(prepared.renderer);
    inspection_.drop_octree();
    camera_media_ = {};
    live_ = std::move(prepared.live);
    ahead_.reset();
    timer_ = std::move(prepared.timer);
    scratch_ = std::move(prepared.scratch);
    std::swap(stream_, prepared.stream);
    device_ = prepared.device;
    ++versions_.scene, ++versions_.lights;
    settings_.apply();
    restart();
}

void Session::set_device(Device& device, std::shared_ptr<Stream> stream,
                         const ReadProgress& progress) {
    if (device_ == &device && (!stream || stream == stream_)) return;
    adopt(prepare_device(*this, device, std::move(stream), progress));
}

void Session::adopt(PreparedScene prepared) {
    finish_work();
    inspection_.begin_scene();
    camera_media_ = {};
    live_ = std::move(prepared.live);
    renderer_ = std::move(prepared.renderer);
    renderer_id_ = prepared.renderer_id;
    builder_id_ = prepared.builder_id;
    scene_ = std::move(prepared.scene);
    settings_.reset();
    settings_.apply();
    camera = scene_->camera;
    moving_camera = nullptr;
    time = 0;
    ++versions_.scene, ++versions_.lights;
    restart();
    trim();
}

void Session::set_scene(std::shared_ptr<const Scene> scene, const ReadProgress& progress) {
    adopt(prepare_scene(*this, std::move(scene), progress));
}

void Session::follow_scene(const SceneChange& change, std::unique_ptr<LiveScene> prepared) {
    if (!change.any) return;
    if (split_) split_->follow_scene(change);
    finish_work();
    if (live_->taking_turns()) ahead_->stop(*live_);
    if (change.geometry) {
        inspection_.drop_octree();
        camera_media_ = {};
        live_ = prepared ? std::move(prepared) : prepare_edited(*this);
        settings_.apply();
    } else {
        live_->refresh_shading(*stream_, change.environment);
    }
    ++versions_.scene, ++versions_.lights;
    restart();
}

void Session::split_over(const std::vector<Device*>& others) {
    finish_work();
    split_ = others.empty() ? nullptr : std::make_unique<SplitFrames>(*this, others);
    film_.set_share(share_);
    restart();
}

void Session::set_devices(const std::vector<Device*>& devices, const ReadProgress& progress) {
    set_device(*devices.at(0), nullptr, progress);
    if (devices != this->devices()) split_over({devices.begin() + 1, devices.end()});
}

std::vector<Device*> Session::devices() const {
    std::vector<Device*> all{device_};
    if (!split_) return all;
    auto others = split_->devices();
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

void Session::set_share(const FilmShare& share) {
    share_ = share;
    film_.set_share(share);
}

void Session::set_region(const FilmRegion& region) {
    if (region == share_.region) return;
    (void)film();  // pixels of further devices that are kept
    FilmShare share = share_;
    share.region = region;
    set_share(share);
    restart();
}

Film& Session::film() {
    if (split_) split_->join();
    return film_;
}

void Session::set_renderer(const std::string& id, std::unique_ptr<Renderer> renderer) {
    finish_work();
    renderer_ = std::move(renderer);
    renderer_id_ = id;
    settings_.apply();
    restart();
    trim();
}

void Session::set_builder(const std::string& id) {
    auto builder = make_tree_builder(id, *device_);
    finish_work();
    live_->set_builder(std::move(builder));
    builder_id_ = id;
    settings_.apply();
    restart();
}

void Session::resize(Extent extent) {
    extent.width = std::max(extent.width, 1);
    extent.height = std::max(extent.height, 1);
    if (extent == film_.extent()) return;
    if (split_) split_->forget_pixels();
    film_.resize(*stream_, extent);
    ++versions_.view;
    set_samples(0);
}

void Session::invalidate_trees() {
    live_->invalidate_tree();
    if (split_) split_->invalidate_trees();
}

void Session::restart() {
    ++versions_.settings;
    set_samples(0);
}

bool Session::finished() {
    return inspection_.unfinished_pixels() == 0u || renderer_->is_done();
}

}  // namespace tl
