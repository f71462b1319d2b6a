// Instances of a mesh that a glTF node specifies by EXT_mesh_gpu_instancing.
#pragma once

#include <vector>

#include "renderer/scene/loaders/gltf/gltf_file.h"

namespace tl {

[[nodiscard]] bool is_instanced(const tinygltf::Node& node);

/// The transforms from the mesh's space to the node's, one per copy. Throws UserError: lists that
/// are missing or differ in length.
[[nodiscard]] std::vector<glm::dmat4> instance_transforms(const GltfFile& file,
                                                          const tinygltf::Node& node);

}  // namespace tl
