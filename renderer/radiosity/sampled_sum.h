// How far the light between points is from that of all pairs, and links from what is visible, by
// some of the points.
#pragma once

#include "renderer/radiosity/light_exchange.h"

namespace tl {

/// Of pairs of a sampled point and another one which faces it.
struct SampledCheck {
    /// Root mean square of the irradiance's errors, relative to that of the irradiance.
    double error = 0;
    /// The part of pairs that are hidden, and the part of those that see each other, for which
    /// links have it otherwise; what links see in part counts as far as it is wrong.
    double falsely_seen = 0, falsely_hidden = 0;
    /// By what part of it links send too much light, all points having the same radiosity; below 0:
    /// too little.
    double surplus = 0;
};

}  // namespace tl

TL_DEVICE_BEGIN

/// The light that a gather has found.
struct GatheredLight {
    View<const vec3> radiosity, irradiance;
};

/// Compares about `n_samples` of the points with sums over all points, with a test of visibility
/// for each. Waits.
[[nodiscard]] SampledCheck check_samples(Scratch& scratch, const DiffusePointsView& points,
                                         const SceneView& scene, PointVisibility visibility,
                                         LightExchange& exchange, const GatheredLight& light,
                                         std::uint32_t n_samples);

TL_DEVICE_END
