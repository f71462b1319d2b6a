// Radii of splats (discs) at the points of a surface, so that no ray passes between them.
#pragma once

#include <span>
#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Sets the radii of splats at the points that a surface was measured at. A point's Voronoi cell,
/// in the plane of its disc, holds all that is nearer to it than to any other point. A disc up to
/// the farthest corner covers the cell, and all discs cover the surface. Radii are 1.3 times as
/// large, so that discs overlap at the corners of cells. Each position of the surface is in five or
/// six discs where points are random (docs/algorithms/splats.md). Cells are cut by the nearest
/// points that face the same side. At the rim of a surface, where cells are open, only their own
/// corners count. A radius is at most 1.5 times the distance to the sixth of those points. It is at
/// most 16 times the median, since a point far from all others is on no surface.
void close_surface(std::span<Splat> splats);

/// Median radius; `splats` must not be empty.
[[nodiscard]] float median_radius(std::span<const Splat> splats);
/// "radius 0.5", or "radii from 0.1 to 3, median 0.5"; `splats` must not be empty.
[[nodiscard]] std::string words_of_radii(std::span<const Splat> splats);

}  // namespace tl
