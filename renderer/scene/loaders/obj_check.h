// Reads an OBJ's text before tinyobjloader does, which takes "nan" for 0 and indices unchecked:
// refuses what cannot be drawn, with its line, and rewrites what tinyobjloader would misread.
#pragma once

#include <string>
#include <vector>

namespace tl {

struct ObjOutline {
    std::vector<std::string> material_libraries;  ///< as the mtllib lines spell them
    std::vector<std::string> used_materials;      ///< names of the usemtl lines, without repeats
    std::size_t face_count = 0;
    bool has_smoothing_groups = false;
};

/// tinyobjloader ends a material's name at a space; in the checked text its spaces are this
/// instead.
inline constexpr char kSpaceInName = '\x1f';

/// Checks `text` and rewrites it in place, its length kept: lines that make no triangles and mtllib
/// lines become comments, continued lines are joined, spaces in the names of usemtl lines become
/// kSpaceInName. Throws UserError "file:line: what": a coordinate that is missing, no number, not
/// finite or too large; an index out of range; a face of fewer than three corners; binary data.
[[nodiscard]] ObjOutline check_obj(std::string& text, const std::string& file);

}  // namespace tl
