// Meaning of the properties of a PLY file's faces, strips and edges, by their names.
#pragma once

#include "renderer/scene/loaders/ply/ply_header.h"

namespace tl {

/// Target of a property of a face or strip.
enum class FacePart { none, corners, uvs, texture, red, green, blue };

[[nodiscard]] FacePart part_of(const PlyProperty& property);
/// Whether an element, which may be null, has a property of that part.
[[nodiscard]] bool has_part(const PlyElement* element, FacePart part);

/// The end of an edge that a property names: 0 or 1; -1: none.
[[nodiscard]] int end_of_edge(const PlyProperty& property);
/// The edges, if they name their two ends; else null.
[[nodiscard]] const PlyElement* find_edges(const PlyHeader& header);

}  // namespace tl
