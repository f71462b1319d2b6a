// Guides of the denoiser: the surfaces that the camera rays of a picture show, directly or in
// smooth mirrors.
#pragma once

#include "accel/gaussians/gaussians.h"
#include "core/device/array.h"
#include "renderer/frame_context.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Sums over the guide rays of each pixel. Row 0 is the top. A ray's *seen surface* is its hit. If
/// that is a smooth mirror, it is the first other surface along the mirrored rays, unless these
/// leave the scene or reach emission first. In scenes with Gaussians it is always the hit.
struct GuideView {
    vec4* normal = nullptr;  ///< xyz: shading normal, towards the viewer; w: number of rays
    vec4* depth = nullptr;   ///< x: path length times the cosine to the view; w: number of hits
    /// xyz: throughput times reflectance_of_lobes; w: number of hits. Only seen surfaces without
    /// emission.
    vec4* reflected = nullptr;
    vec4* background = nullptr;  ///< xyz: its radiance; w: number of misses
    Extent extent{};
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Adds a guide ray to each pixel, the camera ray of the frame's sample, or restarts the sums
    /// where frame.sample is 0. `scene` must be up to date. Never waits.
    void add_guide_sample(Stream& stream, const Frame& frame, const SceneView& scene,
                          const GuideView& out);
    /// Marks pixels by w = -infinity in guides.reflected, where Gaussians hide more than a tenth of
    /// the surface at the pixel's centre. Call it once `guides` has the first sample of `frame`.
    /// Never waits.
    void mark_gaussians(Stream& stream, const Frame& frame, const GaussiansView& gaussians,
                        const GuideView& guides);
)
// clang-format on
