// How far the light between points is from that of all pairs, by some of the points.
#pragma once

#include "renderer/radiosity/diffuse_points.h"
#include "renderer/radiosity/radiosity_config.h"

TL_DEVICE_BEGIN

/// The light that a gather has found.
struct GatheredLight {
    View<const vec3> radiosity, irradiance;
};

/// The root mean square error of the irradiance at about `n_samples` of the points, relative to the
/// root mean square of the irradiance by all points and a test of visibility for each. Waits.
[[nodiscard]] float error_by_samples(Scratch& scratch, const DiffusePointsView& points,
                                     const SceneView& scene, PointVisibility visibility,
                                     const GatheredLight& light, std::uint32_t n_samples);

TL_DEVICE_END
