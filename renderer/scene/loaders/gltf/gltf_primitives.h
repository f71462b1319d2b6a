// The primitives of a glTF file's meshes: triangles, lines and points in the space of their node.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_geometry.h"
#include "renderer/scene/loaders/gltf/gltf_materials.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Whether a primitive is of points or lines.
[[nodiscard]] bool has_no_width(const tinygltf::Primitive& primitive);

/// A primitive of triangles, strips or fans with everything but tangents, targets and skins;
/// without any triangle if it has fewer than three corners. Throws UserError naming `owner` where
/// its lists do not fit together.
[[nodiscard]] Mesh read_triangles(const GltfFile& file, const tinygltf::Mesh& owner,
                                  const tinygltf::Primitive& source, GltfGeometry& geometry,
                                  const GltfMaterial& material);

/// A primitive of points or lines.
struct GltfCurves {
    std::vector<vec3> positions;
    std::vector<vec3> colors;             ///< as many, or none
    std::vector<std::uint32_t> points{};  ///< indices of positions
    std::vector<glm::uvec2> lines{};      ///< their ends
};
/// Throws UserError naming `owner` where its lists do not fit together.
[[nodiscard]] GltfCurves read_curves(const GltfFile& file, const tinygltf::Mesh& owner,
                                     const tinygltf::Primitive& source);

}  // namespace tl
