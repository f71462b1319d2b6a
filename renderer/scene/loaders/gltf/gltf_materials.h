// Materials of glTF files: metallic-roughness with clear coat and transmission, emission, textures.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

/// The scene's material for one of the file's.
struct GltfMaterial {
    std::int32_t index = 0;      ///< in Scene::materials
    glm::dmat3 uv_transform{1};  ///< KHR_texture_transform of its textures, for glTF's (u, v, 1)
    int uv_set = 0;              ///< the set of texture coordinates that its textures use
};

/// Appends the file's materials, their base colour textures and normal maps to the scene; returns
/// the scene's material for each. docs/scene-files.md describes the mapping. Warns of unused parts
/// and of textures that cannot be read.
[[nodiscard]] std::vector<GltfMaterial> add_gltf_materials(Scene& scene, const GltfFile& file);

}  // namespace tl
