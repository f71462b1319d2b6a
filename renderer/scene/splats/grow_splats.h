// Fewer, larger splats for the same surface, where it is flat enough (Linsen, Müller & Rosenthal
// 2007, "Splat-based ray tracing of point clouds", section 3): a splat grows over the nearest
// points while they are close to its plane, and points well within it start none of their own.
//
// Departure: a point starts none only if the splat covers the whole disc that would have closed the
// surface around it, so that growing opens no holes.
#pragma once

#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

struct GrowthConfig {
    float error = 0;  ///< m; largest distance of a splat's points from its plane
    /// Fraction of a splat's radius, in (0, 1], within which points start no splat (the paper's
    /// `perc`).
    float core = 0.6f;
};

/// Grows splats over points that close the surface already. Each has the normal of the point that
/// it grew from, and the mean colour of its points. Its centre is at half of its points' range of
/// distances from the plane, which minimises the largest one. They grow over at most 96 points
/// each, of one material and with normals within 60 degrees.
[[nodiscard]] std::vector<Splat> grow_splats(std::span<const Splat> points,
                                             const GrowthConfig& config);

}  // namespace tl
