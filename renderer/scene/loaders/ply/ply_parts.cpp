#include "renderer/scene/loaders/ply/ply_parts.h"

#include <algorithm>

#include "renderer/scene/loaders/ply/ply_vertex.h"

namespace tl {

FacePart part_of(const PlyProperty& property) {
    auto& name = property.name;
    if (property.is_list && (name == "vertex_indices" || name == "vertex_index"))
        return FacePart::corners;
    if (property.is_list) return name == "texcoord" ? FacePart::uvs : FacePart::none;
    if (name == "texnumber") return FacePart::texture;
    constexpr FacePart kColors[] = {FacePart::red, FacePart::green, FacePart::blue};
    int color = PlyVertex::value_of(name) - PlyVertex::kColor;
    return color >= 0 && color < 3 ? kColors[color] : FacePart::none;
}

bool has_part(const PlyElement* element, FacePart part) {
    return element && std::ranges::any_of(element->properties, [&](auto& property) {
               return part_of(property) == part;
           });
}

int end_of_edge(const PlyProperty& property) {
    if (property.is_list) return -1;
    return property.name == "vertex1" ? 0 : property.name == "vertex2" ? 1 : -1;
}

const PlyElement* find_edges(const PlyHeader& header) {
    const PlyElement* edges = header.find("edge");
    auto has_one = [&](int end) {
        return std::ranges::count(edges->properties, end, end_of_edge) == 1;
    };
    return edges && has_one(0) && has_one(1) ? edges : nullptr;
}

}  // namespace tl
