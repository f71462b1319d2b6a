#include "renderer/denoise/denoiser.h"

#include <algorithm>

#include "accel/parallel/fitting_array.h"
#include "renderer/aov/aov_samples.h"
#include "renderer/denoise/denoise_kernels.h"

namespace tl {
namespace {

AovSet guide_channels() {
    AovSet set;
    for (auto channel : {AovChannel::depth, AovChannel::shading_normal, AovChannel::albedo})
        set.set(static_cast<std::size_t>(channel));
    return set;
}

}  // namespace

Settings DenoiseConfig::settings() {
    Settings all{
        {"biased-denoise", enabled,
         "smooths the noise of a picture of few samples, for a preview; the picture that is shown "
         "and saved is then not the mean of its samples"},
        {"denoise-passes", passes, 1, kMostPasses, "passes",
         "each doubles the distance from which a pixel takes light"},
        {"denoise-strength", strength, 0.0f, 10.0f, "",
         "how much pixels may differ that share their light, in units of four times the noise that "
         "is expected"},
    };
    mark_advanced(all, {"denoise-passes", "denoise-strength"});
    return all;
}

void Denoiser::add_guides(Stream& stream, const Frame& frame, const Versions& versions,
                          const SceneView& scene, Extent extent, std::uint32_t n) {
    bool same = versions.scene == scene_version_ && versions.view == view_version_ &&
                extent == guides_.extent();
    if (!same) {
        n_guides_ = 0;
        guides_.resize(stream, extent, guide_channels());
        scene_version_ = versions.scene;
        view_version_ = versions.view;
    }
    Frame sampled = frame;
    for (n = std::min(n, kGuideSamples); n_guides_ < n; ++n_guides_) {
        sampled.sample = n_guides_;
        TL_DISPATCH(stream.device(), add_aov_sample(stream, sampled, scene, guides_.view()));
    }
}

FilmView Denoiser::run(Scratch& scratch, const FilmView& film, const DenoiseConfig& config) {
    resize_fitting(smooth_, scratch.stream(), static_cast<std::size_t>(film.extent.pixels()));
    DenoisePasses passes{config.passes, config.strength};
    TL_DISPATCH(scratch.stream().device(),
                denoise_film(scratch, film, guides_.view(), passes, smooth_.view()));
    FilmView smooth = film;
    smooth.radiance_sum = smooth_.data();
    return smooth;
}

void Denoiser::clear() {
    *this = Denoiser();
}

}  // namespace tl
