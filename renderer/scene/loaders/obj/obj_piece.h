// A piece of an OBJ text, parsed by tinyobjloader. Pieces are read at the same time; what a piece
// takes over from those before it (material, smoothing group, name of a shape) stays open.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/loaders/obj/obj_lines.h"
#include "renderer/scene/loaders/obj/obj_notes.h"
#include "renderer/scene/loaders/obj/obj_reader.h"

namespace tl {

/// One of the lists that faces index: positions, texture coordinates, normals.
struct ObjElements {
    const char* name;
    int n_needed;                     ///< numbers that each element must have; omitted others are 0
    std::int64_t count = 0;           ///< elements so far in the file
    std::int64_t greatest_index = 0;  ///< faces may refer to elements of later lines
    std::size_t line_of_greatest = 0;
};

/// The three lists.
struct ObjLists {
    ObjElements positions{"vertex", 3}, uvs{"texture coordinate", 1}, normals{"normal", 3};
};

/// A position that is not finite.
struct ObjLostPosition {
    int position;
    std::size_t line;
};

/// Material and smoothing group of a face that has those of the piece before.
inline constexpr int kCarriedOver = -2;

struct ObjPiece {
    char *begin, *end;  ///< the text
    ObjLists lists;     ///< counts before the piece at first, those with it at last
    std::size_t n_lines_before;

    std::vector<ObjCorner> corners;
    std::vector<ObjFace> faces;  ///< materials index `materials`
    std::size_t line_of_first_face = 0;
    /// An object or group that begins with a face; those before the first one belong to the shape
    /// of the piece before.
    struct Start {
        std::string name;
        std::size_t face, corner, line;
    };
    std::vector<Start> starts;
    std::optional<std::string> next_name{};  ///< of the shape that begins with the next face
    std::vector<ObjStroke> strokes;          ///< materials index `materials`
    std::vector<std::string> materials;      ///< of usemtl lines, without repeats
    int material = kCarriedOver, smoothing_group = kCarriedOver;  ///< at the end
    bool has_smoothing_groups = false;

    struct Color {
        int position;
        vec3 color;
    };
    std::vector<Color> colors;
    /// A line of packed colours.
    struct PackedColors {
        std::string_view digits;
        std::size_t n_positions, line;  ///< positions before it in the file
    };
    std::vector<PackedColors> packed_colors;
    std::vector<std::string_view> material_libraries;  ///< as the mtllib lines spell them
    std::vector<ObjLostPosition> lost_positions;       ///< in their order
    ObjNotes notes;
};

/// Lists of the whole file, which have room for all elements. Pieces write to their own parts.
struct ObjFileLists {
    std::vector<glm::dvec3> positions;
    std::vector<vec2> uvs;
    std::vector<vec3> normals;
};

/// Receives the number of bytes that have been parsed since its last call, a kilobyte or more, in
/// the thread that parses. An exception ends the parsing.
using OnBytesParsed = std::function<void(std::size_t n_bytes)>;

/// Parses a piece, and changes its text in doing so. Throws as read_obj does.
void read_piece(ObjPiece& piece, ObjFileLists& lists, const std::string& file,
                const OnBytesParsed& on_parsed);

}  // namespace tl
