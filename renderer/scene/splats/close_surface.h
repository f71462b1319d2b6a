// Radii of discs about the points of a surface, so that no ray passes between them.
#pragma once

#include <span>
#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Sets the radii of splats about the points that a surface was measured at. The places that are
/// nearer to a point than to any other are its Voronoi cell in the plane of its disc: a disc that
/// reaches the farthest corner covers it, and all of them the surface. They are 1.3 times as large,
/// so that they overlap where corners meet: five or six at each place where points are random
/// (docs/algorithms/splats.md). Cells are cut by the nearest points that face the same side; at the
/// rim of a surface, where they are open, their own corners count. A radius is at most 1.5 times
/// the distance to the sixth of those points, and 16 times the median, since a point far from all
/// others is none of a surface.
void close_surface(std::span<Splat> splats);

/// The middle one of the radii; there are some.
[[nodiscard]] float median_radius(std::span<const Splat> splats);
/// "radius 0.5", or "radii from 0.1 to 3, median 0.5"; there are some.
[[nodiscard]] std::string words_of_radii(std::span<const Splat> splats);

}  // namespace tl
