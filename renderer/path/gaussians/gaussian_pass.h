// Gaussians along the path and shadow rays of the wavefront path tracer.
#pragma once

#include "renderer/path/path_queues.h"

TL_DEVICE_BEGIN

/// Adds to each path's sum the radiance of the Gaussians in front of its hit, and multiplies its
/// throughput by their transmittance. `count`: the number of rays, on the device.
void add_gaussians(Stream& stream, const GaussiansView& gaussians, const Records<PathRay>& rays,
                   const std::uint32_t* count, View<Hit> hits, View<vec4> sums);
/// Multiplies the radiance that unoccluded shadow rays carry by the Gaussians' transmittance.
void attenuate_by_gaussians(Stream& stream, const GaussiansView& gaussians,
                            const ShadowQueue& shadows, const std::uint32_t* count);

TL_DEVICE_END
