// glTF files with compressed geometry, in a form that tinygltf accepts.
#pragma once

#include <string>

namespace tl {

/// The bytes of a .gltf or .glb file, where the primitives compressed with Draco have no `indices`
/// unless their accessor has data: tinygltf refuses others, and the compressed data hold them too.
/// Other files, and those that are damaged, are returned as they are.
[[nodiscard]] std::string without_compressed_indices(std::string bytes);

}  // namespace tl
