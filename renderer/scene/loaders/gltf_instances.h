// Copies of a mesh that a glTF node asks for by EXT_mesh_gpu_instancing.
#pragma once

#include <vector>

#include "renderer/scene/loaders/gltf_file.h"

namespace tl {

[[nodiscard]] bool is_instanced(const tinygltf::Node& node);

/// From the mesh's space to the node's, one for each copy. Throws UserError: lists that are missing
/// or differ in length.
[[nodiscard]] std::vector<glm::dmat4> instance_transforms(const GltfFile& file,
                                                          const tinygltf::Node& node);

}  // namespace tl
