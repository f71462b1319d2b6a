// Texture statements of MTL: the name of a file, with options before or, as some programs write
// them, after it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// A texture statement with its options.
struct MtlTexture {
    std::string name;               ///< as it is spelled, without quotes; "" for no texture
    std::string whole{};            ///< name with words that may be options or part of it
    vec2 scale{1}, offset{0};       ///< -s, -o: coordinates are multiplied, then moved
    bool clamp = false;             ///< -clamp on
    std::optional<float> strength;  ///< -bm
};

struct MtlTextureStatement {
    MtlTexture texture;
    std::vector<std::string> ignored{};  ///< options that are not used, or lack their argument
};

/// Reads a statement after its keyword. Names may hold blanks. Of the words after a name, those are
/// options that are nothing else up to the end.
[[nodiscard]] MtlTextureStatement read_mtl_texture(std::string_view text);

}  // namespace tl
