// The parts of a .glb: its chunks. tinygltf 2.7 refuses chunks that it does not know, though the
// specification wants them ignored, and empty ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tl {

/// Views of the file's bytes.
struct GltfParts {
    std::string_view json{};                   ///< without the padding of its chunk
    std::optional<std::string_view> binary{};  ///< the first chunk BIN; none if there is none
    bool is_binary = false;                    ///< whether the file is a .glb
    std::size_t n_beyond = 0;  ///< bytes after the end of the .glb; 0 if all of them are 0
};

/// Splits a .glb into its parts; any other file is JSON as a whole. Throws UserError without the
/// file's name: a version other than 2, lengths that do not fit together, a first chunk that is not
/// JSON.
[[nodiscard]] GltfParts gltf_parts(std::string_view bytes);

/// Throws UserError that says which version a file has.
[[noreturn]] void refuse_gltf_version(const std::string& version);

}  // namespace tl
