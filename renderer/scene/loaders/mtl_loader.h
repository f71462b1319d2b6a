// Materials of MTL files, through tinyobjloader.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Names of materials and their indices in Scene::materials.
using MaterialNames = std::map<std::string, std::int32_t>;

/// Appends the materials of an OBJ's libraries (names as its mtllib lines spell them) and their
/// textures to the scene. Illum 3 and 5 are mirrors; 4, 6, 7, 9 and d < 1 dielectrics, unless there
/// is a map_d (a cutout); Ks > 0 is Phong, the rest diffuse. Adds one warning per library or
/// texture that is missing or unreadable. Returns whether all libraries were found.
bool add_material_libraries(Scene& scene, const std::string& obj_path,
                            const std::vector<std::string>& libraries, MaterialNames& names);

}  // namespace tl
