// Reads OBJ text by tinyobjloader: positions with their colours, texture coordinates and normals,
// and the faces, lines and points that index them; faces as triangles. Anything that cannot be
// rendered is an error with its line.
//
// The library parses elements, corners and names, through its callbacks, whose memory does not grow
// with the file. Its other interface reads faces of more than 255 corners wrongly, and lines beside
// changes of the material. Around it stand joined lines, checks of words, lines and points,
// colours, smoothing groups, indices, triangles, and pieces of the text that are read at the same
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/math.h"
#include "core/base/read_progress.h"

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
    std::vector<ObjCorner> corners;  ///< corners of all faces, one after the other
    std::vector<ObjFace> faces;
};

/// A part of a polyline, or, where both ends are the same position, a point.
struct ObjStroke {
    int from, to;  ///< positions
    int material;  ///< index as in ObjFace::material
};

struct ObjFile {
    std::vector<vec3> positions;  ///< finite (0 for others that nothing references), less `offset`
    glm::dvec3 offset{0};         ///< recentring_offset() of the referenced positions
    std::vector<vec3> colors;     ///< linear; as long as positions, or empty: no vertex has one
    std::vector<vec2> uvs;        ///< finite
    std::vector<vec3> normals;    ///< finite, of any length; 0 where the file's are not finite
    std::vector<ObjShape> shapes;
    std::vector<ObjStroke> strokes;               ///< lines and points
    std::vector<std::string> material_libraries;  ///< as the mtllib lines spell them
    std::vector<std::string> used_materials;      ///< names of the usemtl lines, without repeats
    bool has_smoothing_groups = false;
    std::vector<std::string> warnings;  ///< one line for each kind of contents that are not drawn
};

/// Least size of a piece of text that is read beside others, in bytes: about a hundredth of a
/// second.
inline constexpr std::size_t kObjPieceBytes = std::size_t{1} << 19;

/// Reads the text of an OBJ file. Polygons are triangulated: quads along their shorter diagonal,
/// others by polygon.h. Points that are not finite are left out. `file` is its name in messages.
/// Throws UserError "file:line: what": a coordinate that is missing, not a number or too large, or,
/// where a face or line names it, not finite; an index out of range; nothing to draw; binary data.
[[nodiscard]] ObjFile read_obj(std::string text, const std::string& file,
                               const ReadProgress& progress,
                               std::size_t n_piece_bytes = kObjPieceBytes);

}  // namespace tl
