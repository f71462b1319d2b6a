// OBJ meshes.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Appends the meshes of an OBJ (one for each object or group, polygons triangulated), and with
/// `with_materials` its materials and textures, to a scene with a material 0, which is the default
/// for faces. Missing normals are computed by normals.h. Throws UserError naming file and line.
void add_obj(Scene& scene, const std::string& path, bool with_materials);

}  // namespace tl
