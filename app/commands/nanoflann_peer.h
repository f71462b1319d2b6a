// Measures nanoflann's kd-tree on the CPU with the points and places of `bench photons`, as a
// reference in the same run.
#pragma once

#include <vector>

#include "accel/parallel/math.h"
#include "app/jobs/work_timer.h"

namespace tl {

/// What one structure took, and its answers, by which structures are compared.
struct PointMeasurement {
    std::string name;
    Timing build_ms, within_ms, nearest_ms;  ///< nearest_ms: 0 where it finds none
    double n_within = 0;                     ///< points found within the radius, for all places
    double sum_of_farthest = 0;              ///< distances of the k-th neighbours, where exact
    double recall = 1;                       ///< share of the nearest points that are found
};

/// Whether this build has nanoflann.
[[nodiscard]] bool has_nanoflann_peer();

/// The tree is built by one thread, and searched by all. Throws UserError in builds that did not
/// find nanoflann.
[[nodiscard]] PointMeasurement measure_nanoflann(const std::vector<vec3>& points,
                                                 const std::vector<vec3>& places, float radius,
                                                 int k, int repeat);

}  // namespace tl
