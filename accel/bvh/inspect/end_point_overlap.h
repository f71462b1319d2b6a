// End-point overlap (EPO): the part of a tree's quality that the surface-area heuristic does not
// measure (Aila, Karras & Laine 2013, "On quality metrics of bounding volume hierarchies").
#pragma once

#include <span>

#include "accel/bvh/inspect/host_tree.h"

namespace tl {

struct EndPointOverlap {
    /// Extra cost of a ray whose end point lies in boxes of subtrees that do not contain its
    /// surface. Counts node visits and primitive tests, both with cost 1, as in TreeStats::sah.
    double epo = 0;
    std::size_t n_sampled = 0;  ///< number of triangles evaluated
};

/// Computes the end-point overlap of a tree. It is the sum over all nodes of their cost times the
/// surface area inside their box but not in their subtree, divided by the total surface area.
/// Primitives of the tree below triangles.size() are triangles; others do not count as surface.
/// Exact for up to `max_samples` triangles; otherwise estimated from that many, evenly spaced.
[[nodiscard]] EndPointOverlap measure_end_point_overlap(const HostTree& tree,
                                                        std::span<const vec3> positions,
                                                        std::span<const glm::uvec3> triangles,
                                                        std::size_t max_samples = 50'000);

}  // namespace tl
