// Where the nodes of a glTF file are.
#pragma once

#include <vector>

#include "renderer/scene/loaders/gltf_file.h"
#include "renderer/scene/loaders/recentre.h"

namespace tl {

/// The transform of a node at rest into its parent.
[[nodiscard]] glm::dmat4 local_transform(const tinygltf::Node& node);

/// Bounds of the meshes of these nodes and those within them, by what accessors say of theirs.
[[nodiscard]] WideBox bounds_of_nodes(const GltfFile& file, const std::vector<int>& roots);

}  // namespace tl
