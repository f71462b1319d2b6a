// Direct sums over all pairs of points: the reference for the accuracy and speed of the multipole
// method.
#pragma once

#include "accel/octree/octree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Potential at each point targets[i]: sums[i] is the sum of values[j] over distances from it.
    /// A point at distance 0 is left out. Targets and values go by the order of `points`. Never
    /// waits.
    void sum_directly(Scratch& scratch, View<const Surfel> points, View<const float> values,
                      View<const std::uint32_t> targets, View<float> sums);
    /// Irradiance from the radiosity of three colours, summed in the same way: see kernels.h.
    void sum_directly(Scratch& scratch, View<const Surfel> points, View<const vec3> values,
                      View<const std::uint32_t> targets, View<vec3> sums);
)
// clang-format on
