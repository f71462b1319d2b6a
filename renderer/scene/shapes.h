// Simple shapes of triangles, each about the origin with a longest side of 1.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

struct ShapeRow {
    const char* id;     ///< in scene files: "cube"
    const char* title;  ///< "Cube"
    Mesh (*make)();     ///< material 0, with normals and texture coordinates
};

/// cube, plane (in x and z, its outside up), cylinder and cone (about y), torus (about y).
[[nodiscard]] const std::vector<ShapeRow>& shapes();
/// Throws UserError, which lists the known ones, for an unknown id.
[[nodiscard]] const ShapeRow& find_shape(const std::string& id);

}  // namespace tl
