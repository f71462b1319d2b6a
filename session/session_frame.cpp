// The frames of a session: updates of its scene and samples of its film.
#include "renderer/shading/enclosing_media.h"
#include "session/cancellation_scope.h"
#include "session/session.h"

namespace tl {

void Session::begin_frame() {
    noted_ = order();
    display_.begin_frame();
    timer_->begin_frame();
}

void Session::end_frame() {
    timer_->end_frame();
    display_.end_frame();
    noted_.reset();
}

bool Session::render_frame(const ReadProgress& progress) {
    if (!noted_) {
        noted_ = order();
        bool sampled = render_frame(progress);
        noted_.reset();
        return sampled;
    }
    try {
        CancellationScope scope(*stream_, cancellation);
        return add_sample(progress);
    } catch (const Cancelled&) {
        recover(cancellation->load());
        return false;
    }
}

bool Session::add_sample(const ReadProgress& progress) {
    if (film_.extent().pixels() == 0) resize({1, 1});
    bool moved = scene_->duration > 0 && noted_->time != last_time_;
    bool turned = noted_->camera != last_camera_;
    if (moved || turned) set_samples(0);
    versions_.scene += moved ? 1 : 0;
    versions_.lights += moved && live_->lights_move() ? 1 : 0;
    versions_.view += turned ? 1 : 0;
    last_camera_ = noted_->camera;
    last_time_ = noted_->time;
    last_seed_ = noted_->seed;
    try {
        update_scene(progress);
    } catch (const Cancelled&) {
        live_->invalidate_tree();
        throw;
    }
    versions_.tree += live_->update_kind() != UpdateKind::none ? 1 : 0;
    find_camera_media();
    stream_->watch_cancellation(cancellation, Cancellation::view);
    auto& sampling = settings_.sampling();
    FrameContext context{{last_camera_, samples(), last_seed_, last_time_, sampling},
                         versions_,
                         *live_,
                         film_,
                         *scratch_,
                         *timer_};
    renderer_->prepare(context);
    if (context.cancelled()) return false;
    pictures_ += samples() == 0 ? 1 : 0;
    film_.begin_sample(*stream_, samples(), sampling.error > 0 && !renderer_->false_color());
    renderer_->render(context);
    set_samples(context.cancelled() ? 0 : samples() + 1);
    bool look = samples() >= SamplingConfig::kFirstLook && samples() % SamplingConfig::kLooks == 0;
    if (look && film_.convergence())
        film_.convergence()->look(*scratch_, film_.view(), sampling.error);
    return samples() > 0;
}

void Session::recover(Cancellation asked) {
    set_samples(0);
    if (asked == Cancellation::everything)
        versions_ = {versions_.scene + 1, versions_.lights + 1, versions_.tree + 1,
                     versions_.settings + 1, versions_.view + 1};
}

/// On the CPU, streams do not run concurrently, and a second copy would only occupy cache.
bool Session::can_build_ahead() {
    bool possible = device_->kind() == DeviceKind::cuda && stream_.use_count() == 1 &&
                    live_->can_build_ahead(*device_);
    if (!possible) refused_bytes_ = SIZE_MAX;
    if (!possible || live_->taking_turns()) return possible;
    // New arrays and scratch memory are allocated before the old ones are freed.
    std::size_t wanted = 2 * (live_->bytes_of_turn() + scratch_->capacity());
    if (wanted >= refused_bytes_) return false;  // querying the driver again takes time
    if (wanted <= device_->memory_stats().bytes_free) return true;
    refused_bytes_ = wanted;
    return false;
}

void Session::update_scene(const ReadProgress& progress) {
    if (can_build_ahead()) {
        if (!ahead_) ahead_ = std::make_unique<BuildAhead>(*stream_);
        return ahead_->update(*live_, *timer_, last_time_);
    }
    if (live_->taking_turns()) ahead_->stop(*live_);
    live_->update(*scratch_, *timer_, last_time_, progress);
}

void Session::find_camera_media() {
    vec3 eye = last_camera_.eye;
    if (!live_->may_be_in_medium(eye, last_time_)) {
        live_->set_camera_media(nullptr);
        return;
    }
    camera_media_.resize_discard(*stream_, 1);
    TL_DISPATCH(*device_, find_enclosing_media(*stream_, live_->view(), eye, camera_media_.data()));
    live_->set_camera_media(camera_media_.data());
}

Frame Session::newest_frame() const {
    return {last_camera_, samples() - 1, last_seed_, last_time_, settings_.sampling()};
}

}  // namespace tl
