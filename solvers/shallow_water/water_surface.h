// Triangulation of the surface of shallow water, for rendering.
#pragma once

#include "core/base/math.h"
#include "core/device/array.h"
#include "solvers/shallow_water/water.h"

namespace tl {

/// Position of the grid in the scene: its first corner, y up. Rows run along x, columns along z.
struct WaterGridPlacement {
    vec3 corner{0};
    float reach = 0;     ///< the outermost vertices lie this much outside of the grid
    float sink = 0.02f;  ///< depth of vertices below the bed where all is dry
    float heights = 1;   ///< heights are shown this many times as large
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // Writes the corners of all cells, row by row: (nx + 1) (ny + 1) positions and unit normals.
    void water_surface(Stream& stream, const WaterFields& fields, const WaterGridPlacement& place,
                       View<vec3> positions, View<vec3> normals);
)
// clang-format on
