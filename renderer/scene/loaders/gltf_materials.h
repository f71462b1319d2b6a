// Materials of glTF files: metallic-roughness, put into the kinds that there are.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/loaders/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

/// What a material of a file has become.
struct GltfMaterial {
    std::int32_t index = 0;      ///< in Scene::materials
    glm::dmat3 uv_transform{1};  ///< KHR_texture_transform of its textures, of glTF's (u, v, 1)
};

/// Appends the file's materials, their base colour textures and normal maps to the scene; returns
/// what became of each. docs/scene-files.md has the mapping. What is not used, and textures that
/// cannot be read, are warnings.
[[nodiscard]] std::vector<GltfMaterial> add_gltf_materials(Scene& scene, const GltfFile& file);

}  // namespace tl
