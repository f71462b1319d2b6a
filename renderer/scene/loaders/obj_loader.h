// OBJ meshes.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Appends the meshes of an OBJ (one for each object or group, polygons triangulated), and with
/// `with_materials` its materials and textures, to a scene that has a material 0, which faces
/// without one take. Where normals are missing, see normals.h. Throws UserError naming file and
/// line.
void add_obj(Scene& scene, const std::string& path, bool with_materials);

}  // namespace tl
