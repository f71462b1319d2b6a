// PLY meshes (Turk 1994): text, and binary of either byte order.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Appends the mesh of a PLY to a scene, with the scene's material 0; polygons become triangle
/// fans. Texture coordinates are s and t, u and v, or texture_u and texture_v. Missing normals are
/// computed by normals.h. Other elements and properties are skipped. Throws UserError naming file
/// and line, or the byte of a binary row.
void add_ply(Scene& scene, const std::string& path);

}  // namespace tl
