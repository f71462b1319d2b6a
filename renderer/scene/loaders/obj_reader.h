// Parses OBJ text: positions, texture coordinates and normals, and the faces that index them, as
// triangles. Anything that cannot be rendered is an error with its line.
#pragma once

#include <string>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

/// Indices into the file's lists; -1 where the file gives none.
struct ObjCorner {
    int position, uv, normal;
};

struct ObjFace {
    std::uint32_t n_corners;
    int material;  ///< index into ObjFile::used_materials, or -1
    int smoothing_group;
};

/// An object or group.
struct ObjShape {
    std::string name;
    std::vector<ObjCorner> corners;  ///< of all faces, one after the other
    std::vector<ObjFace> faces;
};

struct ObjFile {
    std::vector<vec3> positions;  ///< all finite
    std::vector<vec3> uvs;        ///< of two numbers; infinite if they are so in the file
    std::vector<vec3> normals;    ///< of any length; infinite if they are so in the file
    std::vector<ObjShape> shapes;
    std::vector<std::string> material_libraries;  ///< as the mtllib lines spell them
    std::vector<std::string> used_materials;      ///< names of the usemtl lines, without repeats
    bool has_smoothing_groups = false;
};

/// Reads the text of an OBJ file. Polygons are triangulated: quads along their shorter diagonal,
/// others by polygon.h. Throws UserError "file:line: what": a coordinate that is missing, not a
/// number, not finite or too large; an index out of range; a face of fewer than three corners;
/// binary data. `file` is its name in messages.
[[nodiscard]] ObjFile read_obj(std::string text, const std::string& file);

}  // namespace tl
