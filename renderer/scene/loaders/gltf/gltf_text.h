// Prepares the JSON of a glTF file for tinygltf 2.7: checks what the library does not check, and
// rewrites valid parts that it refuses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// The source of a buffer's or an image's bytes.
struct GltfSource {
    std::string uri{};     ///< a file, or the data; "": they are in a buffer view or a chunk
    std::size_t size = 0;  ///< size of a buffer
    int view = -1;         ///< buffer view of an image; -1: none
};

/// A file's JSON, from which tinygltf gets neither buffers nor images: of the many forms of URIs it
/// reads few, and it counts pointers into buffer views that it has not checked.
struct GltfText {
    std::string json;  ///< for tinygltf
    std::vector<GltfSource> buffers{}, images{};
    /// Strides of the buffer views, 0 where rows are packed. tinygltf takes multiples of 4 up to
    /// 252 alone.
    std::vector<std::size_t> strides{};
    /// Accessors of indices without a buffer view, which tinygltf refuses: in `json` they name one
    /// that is no part of the file, beyond its last one.
    std::vector<std::size_t> indices_without_view{};
};

/// Reads the JSON of a .gltf or, with `is_binary`, of a .glb. Throws UserError without the file's
/// name: JSON that is invalid or nested too deeply, a version other than 2, needed extensions that
/// are not read, buffers without data.
[[nodiscard]] GltfText read_gltf_text(std::string_view json, bool is_binary);

/// Lists the names of those extensions that the program does not read, each once: "EXT_a, EXT_b".
[[nodiscard]] std::string unread_extensions(const std::vector<std::string>& names);

}  // namespace tl
