// The frames of a session, and what else it may be asked to end before it is done.
#include <chrono>

#include "renderer/shading/enclosing_media.h"
#include "session/session.h"

namespace tl {
namespace {

/// Work on the stream ends where `asked` asks for `least` or more, until the end of the scope.
class CancellationScope {
  public:
    CancellationScope(Stream& stream, const std::atomic<Cancellation>* asked,
                      Cancellation least = Cancellation::everything)
        : stream_(stream) {
        stream_.watch_cancellation(asked, least);
    }
    ~CancellationScope() { stream_.watch_cancellation(nullptr, Cancellation::everything); }
    CancellationScope(const CancellationScope&) = delete;
    CancellationScope& operator=(const CancellationScope&) = delete;

  private:
    Stream& stream_;
};

}  // namespace

void Session::build_trees(PreparedScene& prepared, const ReadProgress& progress) const {
    auto& live = *prepared.live;
    auto set = [&](SettingsSection section) {
        for (auto* all : {&fallback_settings_, &prepared.scene->settings, &chosen_settings_}) {
            auto found = all->find(section.id);
            if (found == all->end()) continue;
            for (auto& [id, value] : found->second)
                if (!ignores_retired(section.id, id))
                    find_setting(section.settings, id, section.id).set(value);
        }
    };
    set(section_of(prepared.builder_id, live.builder()));
    set(section_of(live.tree_config()));
    Scratch scratch(*stream_);
    StageTimer timer(*stream_);
    timer.enable(false);
    CancellationScope scope(*stream_, cancellation);
    live.update(scratch, timer, 0, progress);
    stream_->synchronize();
}

void Session::begin_frame() {
    noted_ = order();
    timer_->begin_frame();
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
    FrameContext context{{last_camera_, samples(), last_seed_, last_time_, sampling_},
                         versions_,
                         *live_,
                         film_,
                         *scratch_,
                         *timer_};
    renderer_->prepare(context);
    if (context.cancelled()) return false;
    pictures_ += samples() == 0 ? 1 : 0;
    film_.begin_sample(*stream_, samples(), sampling_.error > 0 && !false_color());
    renderer_->render(context);
    set_samples(context.cancelled() ? 0 : samples() + 1);
    bool look = samples() >= SamplingConfig::kFirstLook && samples() % SamplingConfig::kLooks == 0;
    if (look && film_.convergence())
        film_.convergence()->look(*scratch_, film_.view(), sampling_.error);
    return samples() > 0;
}

void Session::recover(Cancellation asked) {
    set_samples(0);
    if (asked == Cancellation::everything)
        versions_ = {versions_.scene + 1, versions_.lights + 1, versions_.tree + 1,
                     versions_.settings + 1, versions_.view + 1};
}

DenoiseMoment Session::denoise_moment() const {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return {pictures(), samples(), std::chrono::duration<double>(now).count()};
}

void Session::smooth(const DenoiseConfig& config, std::uint32_t n_guides) {
    denoiser_.run(*scratch_,
                  {newest_frame(), versions_, live_->view(), film_.view(), denoise_moment()},
                  config, n_guides);
}

FilmView Session::shown_film() {
    auto& config = display_.denoise;
    if (!config.enabled) denoiser_.clear();
    if (!smooths(display_)) return film_.view();
    if (!denoiser_.is_current(denoise_moment(), config)) smooth(config, Denoiser::kGuideSamples);
    return denoiser_.smoothed(film_.view());
}

void Session::denoise(DenoiseWhen when) {
    auto& display = noted_ ? noted_->display : display_;
    auto& config = display.denoise;
    if (!config.enabled) denoiser_.clear();
    if (!smooths(display)) return;
    // Frames that smooth nothing have the stage, too: its mean is then that of all frames.
    StageTimer::Scope stage(*timer_, kDenoiseStage, StageKind::display);
    bool last = when == DenoiseWhen::now;
    auto now = denoise_moment();
    bool due = last ? !denoiser_.is_current(now, config)
                    : when == DenoiseWhen::at_intervals && denoiser_.due(now, config);
    if (!due) return;
    try {
        CancellationScope scope(*stream_, cancellation, Cancellation::view);
        smooth(config, last ? Denoiser::kGuideSamples : samples());
    } catch (const Cancelled&) {
        // The owner shows nothing of a frame that it has cancelled.
    }
}

bool Session::awaits_denoising() const {
    return smooths(display_) && !denoiser_.is_current(denoise_moment(), display_.denoise);
}

double Session::denoise_seconds() {
    stream_->synchronize();
    return denoiser_.seconds();
}

void Session::show(View<std::uint32_t> rgba8, bool bottom_up) {
    auto& display = noted_ ? noted_->display : display_;
    FilmView film = film_.view();
    if (smooths(display) && denoiser_.shows(pictures())) film = denoiser_.smoothed(film);
    tl::tone_map(*stream_, film, display_map(display), rgba8, bottom_up);
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
    return {last_camera_, samples() - 1, last_seed_, last_time_, sampling_};
}

}  // namespace tl
