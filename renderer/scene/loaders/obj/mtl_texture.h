// Texture statements of MTL: the name of a file, with options before or, as some programs write
// them, after it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// A texture statement, for tinyobjloader to read. The library reads options only before a name,
/// takes three words for the numbers of each, and keeps those of an earlier statement.
struct MtlTextureStatement {
    std::string name;   ///< as it is spelled, without quotes; "" for no texture
    std::string whole;  ///< name with words that may be options or part of it; "" if there are none
    std::string scale = "1 1 1", offset = "0 0 0";  ///< numbers of -s and -o
    std::string strength;                           ///< number of -bm; "" if it is not given
    bool clamp = false;                             ///< -clamp on
    std::vector<std::string> ignored;  ///< options that are not used, or lack their argument

    /// The options and the name as the library reads them.
    [[nodiscard]] std::string spelled() const;
};

/// Reads a statement after its keyword. Names may hold blanks. Of the words after a name, those are
/// options that are nothing else up to the end. A text must go on after `text`, as a string does.
[[nodiscard]] MtlTextureStatement read_mtl_texture(std::string_view text);

}  // namespace tl
