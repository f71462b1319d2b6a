// Bounds of the meshes of glTF nodes.
#pragma once

#include <vector>

#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/loaders/recentre.h"

namespace tl {

/// Bounds of the meshes of these nodes and those within them, from the bounds in accessors. Meshes
/// that skins move are left out.
[[nodiscard]] WideBox bounds_of_nodes(const GltfFile& file, const std::vector<int>& roots);

}  // namespace tl
