// Radii of discs about the points of a surface, so that no ray passes between them.
#pragma once

#include <span>

#include "renderer/scene/scene.h"

namespace tl {

/// Sets the radii of splats about the points that a surface was measured at: three times that of a
/// disc as large as the point's share of the surface or, without it, 1.2 times the distance to the
/// sixth of its neighbours that face the same side. Either covers all but about 1e-5 of a surface
/// whose points are random, with nine discs at each place on average (docs/algorithms/splats.md).
/// Radii are at most 16 times their median, since a point far from all others is none of a surface.
/// `areas`: m^2, for each splat or none; 0 where it is not known.
void close_surface(std::span<Splat> splats, std::span<const float> areas = {});

/// The middle one of the radii; there are some.
[[nodiscard]] float median_radius(std::span<const Splat> splats);

}  // namespace tl
