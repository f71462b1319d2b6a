// Materials of glTF files: metallic-roughness, put into the kinds that there are.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Appends the file's materials, their base colour textures and normal maps to the scene; returns
/// each one's index in Scene::materials. docs/scene-files.md has the mapping. What is not used, and
/// textures that cannot be read, are warnings.
[[nodiscard]] std::vector<std::int32_t> add_gltf_materials(Scene& scene, const GltfFile& file);

}  // namespace tl
