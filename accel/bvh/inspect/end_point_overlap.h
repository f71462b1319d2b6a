// End-point overlap, the part of a tree's quality that the surface-area heuristic does not see
// (Aila, Karras & Laine 2013, "On quality metrics of bounding volume hierarchies").
#pragma once

#include <span>

#include "accel/bvh/inspect/host_tree.h"

namespace tl {

struct EndPointOverlap {
    /// Extra cost of a ray because it ends in boxes that its surface does not belong to: node
    /// visits and primitive tests, both at 1, as in TreeStats::sah.
    double epo = 0;
    std::size_t n_sampled = 0;  ///< triangles that it was taken over
};

/// The sum over all nodes of their cost times the area of surface inside their box that is not
/// below them, by the area of all surface. Primitives of the tree below triangles.size() are
/// triangles; others count as no surface. Exact for up to `max_samples` triangles; of more, as
/// many of them, evenly spaced, stand for all.
[[nodiscard]] EndPointOverlap measure_end_point_overlap(const HostTree& tree,
                                                        std::span<const vec3> positions,
                                                        std::span<const glm::uvec3> triangles,
                                                        std::size_t max_samples = 50'000);

}  // namespace tl
