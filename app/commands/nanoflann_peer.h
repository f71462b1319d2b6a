// Measures nanoflann's kd-tree on the CPU with the points and query points of `bench photons`, as a
// reference in the same run.
#pragma once

#include <vector>

#include "app/jobs/work_timer.h"
#include "core/base/math.h"

namespace tl {

/// Times of one structure, and sums of its answers, by which structures are compared.
struct PointMeasurement {
    std::string name;
    Timing build_ms, within_ms, nearest_ms;  ///< nearest_ms: 0 without such a search
    /// points found within the radius, summed over all query points
    double n_within = 0;
    double sum_of_farthest = 0;  ///< distances of the k-th neighbours, where exact
    double recall = 1;           ///< fraction of the nearest points that are found
};

/// Whether this build has nanoflann.
[[nodiscard]] bool has_nanoflann_peer();

/// Measures the tree: one thread builds it, all threads search it. Throws UserError in builds
/// without nanoflann.
[[nodiscard]] PointMeasurement measure_nanoflann(const std::vector<vec3>& points,
                                                 const std::vector<vec3>& places, float radius,
                                                 int k, int repeat, const ReadProgress& progress);

}  // namespace tl
