// Decodes geometry of glTF that is compressed with Draco (KHR_draco_mesh_compression), if the
// library was found when the program was built. The only source that includes the library.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tl {

/// Whether the program was built with Draco.
[[nodiscard]] bool has_draco();

/// A requested attribute of a compressed mesh, and its numbers.
struct DracoAttribute {
    std::uint32_t id = 0;          ///< in the compressed data
    int per_row = 3;               ///< numbers of a vertex
    float full_scale = 0;          ///< divisor of normalised integers; 0: they are not normalised
    std::vector<float> numbers{};  ///< result: as many rows as the mesh has vertices
};

/// Decodes a mesh of triangles: fills `attributes` and returns three corners for each triangle.
/// Throws UserError with the reason; before anything is decoded where the mesh claims more memory
/// than is free.
[[nodiscard]] std::vector<std::uint32_t> decode_draco(std::string_view bytes,
                                                      std::vector<DracoAttribute>& attributes);

}  // namespace tl
