#include "renderer/scene/loaders/ply_faces.h"

#include <utility>

#include "renderer/scene/limits.h"

namespace tl {

bool PlyFaces::add_polygon() {
    bool is_cut = true;
    if (corners.size() == 3) {
        add_triangle(0, 1, 2);
    } else {
        polygon_.clear();
        for (auto corner : corners) polygon_.push_back(mesh_.positions[corner]);
        auto triangles = cutter_.cut(polygon_);
        is_cut = !triangles.empty();
        for (auto& triangle : triangles) add_triangle(triangle.x, triangle.y, triangle.z);
    }
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

void PlyFaces::finish_uvs() {
    if (!has_uvs_) return;
    // Copies of a vertex are found along a chain, unless it is long: then they are not shared.
    constexpr std::uint32_t kNone = UINT32_MAX, kLongestChain = 32;
    std::size_t n_vertices = mesh_.positions.size();
    mesh_.uvs.resize(n_vertices);
    std::vector<char> has_uv(n_vertices, 0);
    std::vector<std::uint32_t> next_copy(n_vertices, kNone);
    for (std::size_t i = 0; i < corner_uvs_.size(); ++i) {
        auto& corner = mesh_.triangles[i / 3][static_cast<int>(i % 3)];
        vec2 uv = corner_uvs_[i];
        if (!has_uv[corner]) {
            has_uv[corner] = 1;
            mesh_.uvs[corner] = uv;
            continue;
        }
        auto found = corner;
        for (auto k = 0u; k < kLongestChain && found != kNone && mesh_.uvs[found] != uv; ++k)
            found = next_copy[found];
        if (found == kNone || mesh_.uvs[found] != uv) {
            found = static_cast<std::uint32_t>(mesh_.positions.size());
            mesh_.positions.push_back(mesh_.positions[corner]);
            mesh_.normals.push_back(mesh_.normals[corner]);
            mesh_.uvs.push_back(uv);
            if (!mesh_.colors.empty()) mesh_.colors.push_back(mesh_.colors[corner]);
            next_copy.push_back(std::exchange(next_copy[corner], found));
        }
        corner = found;
    }
}

}  // namespace tl
