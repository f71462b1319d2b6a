// Sums over all pairs of points: what the multipole method is compared with, for truth and for
// speed.
#pragma once

#include "accel/octree/octree.h"

// clang-format off
TL_FOR_DEVICES(
    /// sums[i] = what point targets[i] gets from all points: the sum of values[j] over distances,
    /// a point at no distance left out; targets and values go by the order of `points`. Never
    /// waits.
    void sum_directly(Scratch& scratch, View<const Surfel> points, View<const float> values,
                      View<const std::uint32_t> targets, View<float> sums);
    /// The same for irradiance from radiosity, of three colours: see kernels.h.
    void sum_directly(Scratch& scratch, View<const Surfel> points, View<const vec3> values,
                      View<const std::uint32_t> targets, View<vec3> sums);
)
// clang-format on
