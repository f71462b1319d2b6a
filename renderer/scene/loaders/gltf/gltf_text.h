// The JSON of a glTF file before tinygltf reads it: what tinygltf does not check, or would refuse
// without telling why.
#pragma once

#include <string>
#include <vector>

namespace tl {

struct CheckedGltf {
    std::string bytes;                      ///< for tinygltf
    std::vector<std::size_t> buffer_sizes;  ///< of the buffers in files of their own, in order
};

/// Checks the bytes of a .gltf or .glb. Throws UserError without the file's name: a version
/// other than 2, needed extensions that are not read, JSON that is nested too deeply, buffers and
/// indices without data. Removes the indices of primitives that are compressed with Draco: their
/// accessors have no data, which is valid, but tinygltf 2.7 refuses it.
[[nodiscard]] CheckedGltf checked_gltf(std::string bytes);

/// Of the names of extensions, those that the program does not read, each once: "EXT_a, EXT_b".
[[nodiscard]] std::string unread_extensions(const std::vector<std::string>& names);

}  // namespace tl
