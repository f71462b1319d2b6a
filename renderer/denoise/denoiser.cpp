#include "renderer/denoise/denoiser.h"

#include <algorithm>
#include <utility>

#include "core/device/fitting_array.h"
#include "renderer/denoise/denoise_kernels.h"

namespace tl {

const SettingsOf<DenoiseConfig>& DenoiseConfig::declared_settings() {
    static const SettingsOf<DenoiseConfig> all{
        {"biased-denoise", &DenoiseConfig::enabled,
         "Denoise (preview): smooth the noise of pictures of few samples, for a preview; the shown "
         "and saved picture is then biased"},
        {"denoise-passes", &DenoiseConfig::passes, 1, kMostPasses, "passes",
         "filter passes, each with twice the radius of the pass before", kAdvanced},
        {"denoise-strength", &DenoiseConfig::strength, 0.0f, 10.0f, "",
         "largest difference of pixels that are averaged, in units of four times the expected "
         "noise",
         kAdvanced},
    };
    return all;
}

bool Denoiser::due(const DenoiseMoment& now, const DenoiseConfig& config) {
    take_time();
    auto asked = now;
    // Smoothed pictures with different settings count as different pictures.
    if (config != config_) asked.picture = ~now.picture;
    return schedule_.due(asked);
}

bool Denoiser::is_current(const DenoiseMoment& now, const DenoiseConfig& config) const {
    return schedule_.shows_all(now.picture, now.samples) && config == config_ &&
           n_guides_ == kGuideSamples;
}

void Denoiser::run(Scratch& scratch, const DenoiseSource& source, const DenoiseConfig& config,
                   std::uint32_t n_guides) {
    auto& stream = scratch.stream();
    take_time();
    schedule_.drop();
    if (!begin_) {
        begin_ = stream.device().create_event();
        end_ = stream.device().create_event();
    }
    begin_->record(stream);
    add_guides(stream, source, n_guides);
    smooth(scratch, source.film, config);
    end_->record(stream);
    config_ = config;
    schedule_.begin(source.moment);
    take_time();
}

/// Adds guide samples up to `n`. Restarts them if the size or the version of scene or view has
/// changed.
void Denoiser::add_guides(Stream& stream, const DenoiseSource& source, std::uint32_t n) {
    Extent extent = source.film.extent;
    auto& versions = source.versions;
    bool same = versions.scene == scene_version_ && versions.view == view_version_ &&
                extent == guide_extent_;
    if (!same) {
        n_guides_ = 0;
        guide_extent_ = {};  // while an allocation may throw
        for (auto* sums : {&normal_, &depth_, &reflected_, &background_})
            resize_fitting(*sums, stream, static_cast<std::size_t>(extent.pixels()));
        guide_extent_ = extent;
        scene_version_ = versions.scene;
        view_version_ = versions.view;
    }
    GuideView guides = guides_view();
    Frame sampled = source.frame;
    auto n_added = std::exchange(n_guides_, 0);  // 0 if a sample is cancelled by an exception
    for (n = std::min(n, kGuideSamples); n_added < n; ++n_added) {
        sampled.sample = n_added;
        TL_DISPATCH(stream.device(), add_guide_sample(stream, sampled, source.scene, guides));
        if (n_added == 0 && source.scene.gaussians)
            TL_DISPATCH(stream.device(),
                        mark_gaussians(stream, sampled, *source.scene.gaussians, guides));
    }
    n_guides_ = n_added;
}

void Denoiser::smooth(Scratch& scratch, const FilmView& film, const DenoiseConfig& config) {
    resize_fitting(smooth_, scratch.stream(), static_cast<std::size_t>(film.extent.pixels()));
    DenoisePasses passes{config.passes, config.strength};
    GuideView guides = guides_view();
    TL_DISPATCH(scratch.stream().device(),
                denoise_film(scratch, film, guides, passes, smooth_.view()));
}

GuideView Denoiser::guides_view() {
    return {normal_.data(), depth_.data(), reflected_.data(), background_.data(), guide_extent_};
}

FilmView Denoiser::smoothed(const FilmView& film) {
    FilmView smooth = film;
    smooth.radiance_sum = smooth_.data();
    return smooth;
}

/// Records the duration of the newest run, once the device has finished it.
void Denoiser::take_time() {
    constexpr double kMilliseconds = 1000;
    if (!schedule_.running() || !end_->ready()) return;
    double taken = static_cast<double>(end_->milliseconds_since(*begin_)) / kMilliseconds;
    schedule_.end(taken);
    seconds_ += taken;
}

double Denoiser::seconds() {
    take_time();
    return seconds_;
}

void Denoiser::clear() {
    *this = Denoiser();
}

}  // namespace tl
