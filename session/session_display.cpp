#include "session/session_display.h"

#include <chrono>

#include "core/base/files.h"
#include "renderer/film/deep_picture.h"
#include "session/cancellation_scope.h"
#include "session/session.h"
#include "session/split/split_frames.h"

namespace tl {

bool SessionDisplay::smooths(const DisplayConfig& config) const {
    return config.denoise.smooths() && !session_.renderer().false_color() && session_.samples() > 0;
}

ToneMap SessionDisplay::shown_tone_map(const DisplayConfig& config) const {
    return session_.renderer().false_color() ? ToneMap{} : config.tone_map;
}

DenoiseMoment SessionDisplay::moment() const {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return {session_.pictures(), session_.samples(), std::chrono::duration<double>(now).count()};
}

void SessionDisplay::smooth(const DenoiseConfig& config, std::uint32_t n_guides) {
    denoiser_.run(session_.scratch(),
                  {session_.newest_frame(), session_.picture_versions(),
                   session_.live_scene().view(), session_.film().view(), moment()},
                  config, n_guides);
}

FilmView SessionDisplay::shown_film() {
    auto& config = config_.denoise;
    FilmView film = session_.film().view();
    if (!config.enabled) denoiser_.clear();
    if (!smooths(config_)) return film;
    if (!denoiser_.is_current(moment(), config)) smooth(config, Denoiser::kGuideSamples);
    return denoiser_.smoothed(film);
}

Image8 SessionDisplay::picture() {
    return picture_of(session_.scratch(), shown_film(), shown_tone_map());
}

void SessionDisplay::denoise(DenoiseWhen when) {
    auto& config = frame_config().denoise;
    if (!config.enabled) denoiser_.clear();
    if (!smooths(frame_config())) return;
    // Frames that smooth nothing have the stage, too: its mean is then that of all frames.
    StageTimer::Scope stage(session_.timer(), kDenoiseStage, StageKind::display);
    bool last = when == DenoiseWhen::now;
    auto now = moment();
    bool due = last ? !denoiser_.is_current(now, config)
                    : when == DenoiseWhen::at_intervals && denoiser_.due(now, config);
    if (!due) return;
    try {
        CancellationScope scope(session_.stream(), session_.cancellation, Cancellation::view);
        smooth(config, last ? Denoiser::kGuideSamples : session_.samples());
    } catch (const Cancelled&) {
        // The owner shows nothing of a frame that it has cancelled.
    }
}

bool SessionDisplay::awaits_denoising() const {
    return smooths(config_) && !denoiser_.is_current(moment(), config_.denoise);
}

double SessionDisplay::denoise_seconds() {
    session_.stream().synchronize();
    return denoiser_.seconds();
}

void SessionDisplay::show(View<std::uint32_t> rgba8, bool bottom_up) {
    auto& config = frame_config();
    bool smoothed = smooths(config) && denoiser_.shows(session_.pictures());
    bool is_split = session_.split_ && !smoothed;
    if (is_split && session_.split_->show(shown_tone_map(config), rgba8, bottom_up)) return;
    FilmView film = session_.film().view();
    if (smoothed) film = denoiser_.smoothed(film);
    tone_map(session_.stream(), film, shown_tone_map(config), rgba8, bottom_up);
}

std::string encode_film(Session& session, const std::string& path, PictureFormat format) {
    auto& display = session.display();
    bool is_deep = format == PictureFormat::png16;
    if (!is_deep && !row_of(format).is_linear) return encode_as(format, path, display.picture());
    auto radiance = radiance_of(session.stream(), display.shown_film());
    if (!is_deep) return encode_as(format, path, radiance);
    return encode_as(format, path, deep_picture_of(radiance, display.shown_tone_map()));
}

void save_film(Session& session, const std::string& path) {
    write_file(path, encode_film(session, path, picture_format_of(path)));
}

}  // namespace tl
