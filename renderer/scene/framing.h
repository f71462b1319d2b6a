// Bounds to be framed by a camera: the whole scene, or the scene without a huge floor or dome and
// without outliers.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// The bounds to be framed: those of all geometry, unless the primitives that are much smaller than
/// these lie within a quarter of their diagonal, and are not the fewer ones; then the bounds of
/// these primitives. One in a hundred along each axis may lie further out. Of more than some
/// hundred thousand primitives, a sample is looked at. Empty for an empty scene.
[[nodiscard]] Box framing_bounds(const Scene& scene);

}  // namespace tl
