// Bounds to be framed by a camera: the whole scene, or the scene without a huge floor or dome and
// without outliers.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Bounds to be framed. Usually those of all geometry. If the primitives much smaller than these
/// bounds are no minority and lie within a quarter of their diagonal, the bounds of these
/// primitives; and so on, as for a dome around a floor around a model. One in a hundred primitives
/// along each axis may lie outside as an outlier. More than some hundred thousand primitives are
/// sampled. Empty for an empty scene.
[[nodiscard]] Box framing_bounds(const Scene& scene);

}  // namespace tl
