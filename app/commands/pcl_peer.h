// Measures the octree of the Point Cloud Library on the CPU with the points of `bench octree`, as a
// reference in the same run.
#pragma once

#include <vector>

#include "accel/octree/octree.h"
#include "app/jobs/work_timer.h"

namespace tl {

struct PclMeasurement {
    Timing build_ms;
    std::size_t n_points = 0, n_leaves = 0, n_nodes = 0;
};

/// Whether this build has PCL.
[[nodiscard]] bool has_pcl_peer();

/// Builds with leaves of at most `leaf_size` points, over the points with finite positions, with
/// one thread, which is all that PCL uses. Its nodes have no attributes. Throws UserError in builds
/// without PCL.
[[nodiscard]] PclMeasurement measure_pcl(const std::vector<Surfel>& points, int leaf_size,
                                         int repeat, const ReadProgress& progress);

}  // namespace tl
