#include "renderer/scene/loaders/ply/ply_faces.h"

#include <utility>

#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/vertex_colors.h"

namespace tl {

bool PlyFaces::add_polygon() {
    bool is_cut = true;
    std::size_t n_before = mesh_.triangles.size();
    if (corners.size() == 3) {
        add_triangle(0, 1, 2);
    } else {
        polygon_.clear();
        for (auto corner : corners) polygon_.push_back(mesh_.positions[corner]);
        auto triangles = cutter_.cut(polygon_);
        is_cut = !triangles.empty();
        for (auto& triangle : triangles) add_triangle(triangle.x, triangle.y, triangle.z);
    }
    if (has_colors_)
        face_colors_.insert(face_colors_.end(), mesh_.triangles.size() - n_before, color);
    corners.clear();
    uvs.clear();
    return is_cut;
}

void PlyFaces::add_strips() {
    std::size_t first = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        if (corners[i] == kRestart) first = i + 1;
        if (i < first + 2) continue;
        auto a = static_cast<std::uint32_t>(i - 2), b = a + 1;
        if ((i - first) % 2 != 0) std::swap(a, b);  // every other triangle is wound backwards
        auto c = static_cast<std::uint32_t>(i);
        if (corners[a] != corners[b] && corners[b] != corners[c] && corners[c] != corners[a])
            add_triangle(a, b, c);
    }
    corners.clear();
    uvs.clear();
}

void PlyFaces::add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh_.triangles.emplace_back(corners[a], corners[b], corners[c]);
    mesh_.material_of_triangle.push_back(texture);
    if (has_uvs_) corner_uvs_.insert(corner_uvs_.end(), {uv_of(a), uv_of(b), uv_of(c)});
}

vec2 PlyFaces::uv_of(std::uint32_t corner) const {
    if (uvs.size() == 2 * corners.size())
        return finite_or_zero(vec2(uvs[2 * corner], uvs[2 * corner + 1]));
    return mesh_.uvs.empty() ? vec2(0) : mesh_.uvs[corners[corner]];
}

vec3 PlyFaces::color_of(std::size_t corner) const {
    std::size_t place = corner / 3 - first_colored_;  // huge for triangles before
    return place < face_colors_.size() ? face_colors_[place] : vec3(1);
}

void PlyFaces::finish_corners() {
    if (!has_uvs_ && !has_colors_) return;
    decode_vertex_colors(face_colors_);
    // Copies of a vertex are found along a chain, unless it is long: then they are not shared.
    constexpr std::uint32_t kNone = UINT32_MAX, kLongestChain = 32;
    auto n_vertices = static_cast<std::uint32_t>(mesh_.positions.size());
    std::vector<std::uint32_t> corner_of_vertex(n_vertices, kNone);  // a corner that it represents
    std::vector<std::uint32_t> next_copy(n_vertices, kNone);
    std::vector<std::uint32_t> sources;  // of the copies
    auto are_alike = [&](std::size_t a, std::size_t b) {
        return (!has_uvs_ || corner_uvs_[a] == corner_uvs_[b]) &&
               (!has_colors_ || color_of(a) == color_of(b));
    };
    for (std::uint32_t i = 0; i < 3 * mesh_.triangles.size(); ++i) {
        auto& vertex = mesh_.triangles[i / 3][static_cast<int>(i % 3)];
        if (corner_of_vertex[vertex] == kNone) {
            corner_of_vertex[vertex] = i;
            continue;
        }
        auto found = vertex;
        for (auto k = 0u; k < kLongestChain && found != kNone; ++k) {
            if (are_alike(corner_of_vertex[found], i)) break;
            found = next_copy[found];
        }
        if (found == kNone || !are_alike(corner_of_vertex[found], i)) {
            found = static_cast<std::uint32_t>(corner_of_vertex.size());
            sources.push_back(vertex);
            corner_of_vertex.push_back(i);
            next_copy.push_back(std::exchange(next_copy[vertex], found));
        }
        vertex = found;
    }
    copy_vertices(sources);
    if (has_uvs_) mesh_.uvs.resize(mesh_.positions.size());
    if (has_colors_) mesh_.colors.resize(mesh_.positions.size(), vec3(1));
    for (std::size_t v = 0; v < corner_of_vertex.size(); ++v) {
        auto corner = corner_of_vertex[v];
        if (corner == kNone) continue;
        if (has_uvs_) mesh_.uvs[v] = corner_uvs_[corner];
        if (has_colors_) mesh_.colors[v] = color_of(corner);
    }
}

/// Appends a copy of each of some vertices.
void PlyFaces::copy_vertices(const std::vector<std::uint32_t>& sources) {
    auto copy = [&](auto& values) {
        if (values.empty()) return;
        values.reserve(values.size() + sources.size());
        for (auto source : sources) values.push_back(values[source]);
    };
    copy(mesh_.positions);
    copy(mesh_.normals);
    copy(mesh_.uvs);
}

}  // namespace tl
