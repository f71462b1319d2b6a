// Materials of MTL files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Material of faces: an index into Scene::materials, and the transform of their texture
/// coordinates.
struct ObjMaterial {
    std::int32_t index = 0;
    vec2 uv_scale{1}, uv_offset{0};  ///< texture coordinates are multiplied, then moved
};
using ObjMaterials = std::map<std::string, ObjMaterial>;

/// Appends those materials of an OBJ's libraries that are `used`, and their textures, to the scene,
/// as docs/scene-files.md describes. Libraries are named as the mtllib lines spell them. Warns of
/// libraries and textures that are missing or unreadable, and of what is not used. Returns whether
/// all libraries were found.
bool add_material_libraries(Scene& scene, const std::string& obj_path,
                            const std::vector<std::string>& libraries,
                            const std::vector<std::string>& used, ObjMaterials& names,
                            const ReadContext& context);

}  // namespace tl
