// Smooths the noise of a film of few samples for a preview: an edge-avoiding a-trous wavelet
// transform (Dammertz et al. 2010, "Edge-avoiding A-Trous wavelet transform for fast global
// illumination filtering") that is guided by depth, normal and albedo, and by an estimate of the
// noise (the spatial part of Schied et al. 2017, "Spatiotemporal variance-guided filtering"). It
// adds bias, which vanishes as samples come.
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/settings.h"
#include "renderer/aov/aov_buffers.h"
#include "renderer/film/film_view.h"
#include "renderer/frame_context.h"

namespace tl {

struct SceneView;

struct DenoiseConfig {
    static constexpr int kMostPasses = 8;

    bool enabled = false;
    int passes = 5;
    float strength = 1;

    [[nodiscard]] Settings settings();
};

class Denoiser {
  public:
    /// Rays through a pixel from which its depth, normal and albedo are taken.
    static constexpr std::uint32_t kGuideSamples = 16;

    /// Adds guide samples up to `n`, at most kGuideSamples, for the film of `frame`; starts anew
    /// where `extent` or the versions of scene or view differ from before. `scene` must be up to
    /// date. Throws UserError when memory does not suffice.
    void add_guides(Stream& stream, const Frame& frame, const Versions& versions,
                    const SceneView& scene, Extent extent, std::uint32_t n);
    /// The smoothed film, one sample a pixel, in memory of this object. Needs a guide sample.
    [[nodiscard]] FilmView run(Scratch& scratch, const FilmView& film, const DenoiseConfig& config);
    /// Frees all memory.
    void clear();

  private:
    AovBuffers guides_;
    DeviceArray<vec4> smooth_;
    std::uint32_t n_guides_ = 0;
    std::uint64_t scene_version_ = 0, view_version_ = 0;
};

}  // namespace tl
