// Error estimate of a gather at some of the points. Compares irradiance with a sum over all pairs,
// and the visibility of links with a test of each pair.
#pragma once

#include "renderer/radiosity/transport/light_transport.h"

namespace tl {

/// Errors over pairs of a sampled point and a point that faces it.
struct SampledCheck {
    /// Root mean square error of irradiance, relative to the root mean square of irradiance.
    double error = 0;
    /// Visibility errors of links; fractional visibility counts in part.
    double falsely_seen = 0,  ///< fraction of occluded pairs that links treat as visible
        falsely_hidden = 0;   ///< fraction of visible pairs that links treat as occluded
    /// Relative excess of light sent by links if all points had the same radiosity; negative: too
    /// little.
    double surplus = 0;
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Input and result of a gather.
struct GatheredLight {
    View<const vec3> radiosity, irradiance;
};

/// Compares a gather at up to `n_samples` evenly spaced points with sums over all points, with a
/// visibility test for each pair. Waits for the stream.
[[nodiscard]] SampledCheck check_samples(Scratch& scratch, const DiffusePointsView& points,
                                         const SceneView& scene, PointVisibility visibility,
                                         LightTransport& exchange, const GatheredLight& light,
                                         std::uint32_t n_samples);

TL_DEVICE_END
