// The textures that comments of a PLY file name, as materials.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Replaces the numbers of textures in the mesh's `material_of_triangle` by materials, which are
/// appended to the scene; `plain` is that of faces without one. Warns of textures that cannot be
/// shown. `path` is the PLY file's.
void take_ply_materials(Scene& scene, Mesh& mesh, const std::vector<std::string>& textures,
                        std::int32_t plain, const std::string& path, const ReadContext& context);

}  // namespace tl
