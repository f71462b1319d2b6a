// Gaussians along the rays of paths that advance together.
#pragma once

#include "renderer/paths/path_queues.h"

TL_DEVICE_BEGIN

/// Adds to each path's sum what its ray sees of the Gaussians before its hit, and takes from its
/// weight what they hide. `count`: the number of rays, on the device.
void add_gaussians(Stream& stream, const GaussiansView& gaussians, const Records<PathRay>& rays,
                   const std::uint32_t* count, View<Hit> hits, View<vec4> sums);
/// Takes from the light of rays that are not occluded what Gaussians hide of it.
void shade_by_gaussians(Stream& stream, const GaussiansView& gaussians, const ShadowQueue& shadows,
                        const std::uint32_t* count);

TL_DEVICE_END
