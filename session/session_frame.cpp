// The frames of a session: updates of its scene and samples of its film.
#include <cmath>
#include <exception>

#include "renderer/shading/enclosing_media.h"
#include "session/cancellation_scope.h"
#include "session/session.h"
#include "session/split/split_frames.h"

namespace tl {
namespace {

/// Moment of a part of a sample, as a fraction of the time that the shutter is open. Additive
/// recurrence by the golden ratio: the moments of any successive samples are spread evenly. Another
/// seed shifts them.
float shutter_share(std::uint64_t seed, const FilmPart& part) {
    constexpr double kPerSample = 0.6180339887498949, kPerSeed = 0.7548776662466927;
    double share = double(part.sample) * kPerSample + double(seed & UINT32_MAX) * kPerSeed;
    share -= std::floor(share);
    return static_cast<float>((double(part.index) + share) / double(part.count));
}

}  // namespace

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
    SampleEnd end = SampleEnd::lost;
    while (end == SampleEnd::lost) {
        end = add_whole_sample(progress);
        if (end == SampleEnd::lost) restart();  // without the device that failed
    }
    if (end == SampleEnd::complete) look_for_converged();
    return end == SampleEnd::complete;
}

SampleEnd Session::add_whole_sample(const ReadProgress& progress) {
    bool has_sampled = false, is_cancelled = false;
    std::exception_ptr error;
    try {
        CancellationScope scope(*stream_, cancellation);
        has_sampled = add_sample(progress);
    } catch (const Cancelled&) {
        is_cancelled = true;
    } catch (...) {
        error = std::current_exception();
    }
    auto others = split_ ? split_->end_sample() : SampleEnd::complete;
    if (error) {
        if (split_) restart();  // further devices have added the sample
        std::rethrow_exception(error);
    }
    if (others == SampleEnd::lost) return SampleEnd::lost;
    if (is_cancelled || others == SampleEnd::cancelled)
        recover(cancellation ? cancellation->load() : Cancellation::everything);
    else if (has_sampled)
        return SampleEnd::complete;
    return SampleEnd::cancelled;
}

bool Session::add_sample(const ReadProgress& progress) {
    if (film_.extent().pixels() == 0) resize({1, 1});
    bool moves = scene_->duration > 0;
    bool moved = moves && noted_->time != last_.time;
    if (!is_helper_ && (moved || noted_->camera != last_.camera)) set_samples(0);
    last_ = *noted_;
    if (split_) {
        if (split_->wants_new_picture()) set_samples(0);
        split_->begin_sample(share_);
    }
    auto& sampling = settings_.sampling();
    bool blurs =
        sampling.shutter > 0 && (moves || last_.moving_camera) && !renderer_->false_color();
    FilmPart part{samples(), 0, blurs ? static_cast<std::uint32_t>(sampling.shutter_times) : 1};
    for (; part.index < part.count; ++part.index)
        if (!add_part(part, blurs, progress)) {
            if (part.index > 0) set_samples(0);
            return false;
        }
    if (part.count > 1) film_.end_parts(*stream_);
    if (split_) split_->end_own_sample();
    set_samples(samples() + 1);
    return true;
}

void Session::look_for_converged() {
    bool look = samples() >= SamplingConfig::kFirstLook && samples() % SamplingConfig::kLooks == 0;
    if (!look || is_helper_ || !film_.convergence()) return;
    if (before_look) before_look();
    Film& complete = film();
    complete.convergence()->look(*scratch_, complete.view(), share_.region,
                                 settings_.sampling().error);
    if (split_) split_->copy_converged();
}

bool Session::add_part(const FilmPart& part, bool blurs, const ReadProgress& progress) {
    move_to_moment(part, blurs);
    try {
        update_scene(progress);
    } catch (const Cancelled&) {
        live_->invalidate_tree();
        throw;
    }
    versions_.tree += live_->update_kind() != UpdateKind::none ? 1 : 0;
    bool is_first = samples() == 0 && part.index == 0;
    if (is_first) picture_versions_ = versions_;
    find_camera_media();
    stream_->watch_cancellation(cancellation, Cancellation::view);
    auto& sampling = settings_.sampling();
    FrameContext context{{moment_camera_, samples(), last_.seed, moment_, sampling},
                         versions_,
                         *live_,
                         film_,
                         *scratch_,
                         *timer_,
                         split_ ? split_->photon_share() : photon_share_};
    renderer_->prepare(context);
    if (context.cancelled()) return false;
    pictures_ += is_first ? 1 : 0;
    if (part.index == 0)
        film_.begin_sample(*stream_, samples(), sampling.error > 0 && !renderer_->false_color());
    if (part.count > 1) film_.begin_part(*stream_, part);
    renderer_->render(context);
    if (!context.cancelled()) return true;
    set_samples(0);
    return false;
}

void Session::move_to_moment(const FilmPart& part, bool blurs) {
    float time = last_.time;
    Camera view = last_.camera;
    if (blurs) {
        time += settings_.sampling().shutter * shutter_share(last_.seed, part);
        if (last_.moving_camera) view = last_.moving_camera(static_cast<double>(time));
        if (!camera_fault(view).empty()) view = last_.camera;
    }
    bool moved = scene_->duration > 0 && time != moment_;
    versions_.scene += moved ? 1 : 0;
    versions_.lights += moved && live_->lights_move() ? 1 : 0;
    versions_.view += view != moment_camera_ ? 1 : 0;
    moment_ = time;
    moment_camera_ = view;
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
        return ahead_->update(*live_, *timer_, moment_);
    }
    if (live_->taking_turns()) ahead_->stop(*live_);
    live_->update(*scratch_, *timer_, moment_, progress);
}

void Session::find_camera_media() {
    vec3 eye = moment_camera_.eye;
    if (!live_->may_be_in_medium(eye, moment_)) {
        live_->set_camera_media(nullptr);
        return;
    }
    camera_media_.resize_discard(*stream_, 1);
    TL_DISPATCH(*device_, find_enclosing_media(*stream_, live_->view(), eye, camera_media_.data()));
    live_->set_camera_media(camera_media_.data());
}

Frame Session::newest_frame() const {
    return {moment_camera_, samples() - 1, last_.seed, moment_, settings_.sampling()};
}

}  // namespace tl
