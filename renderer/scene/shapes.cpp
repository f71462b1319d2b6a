#include "renderer/scene/shapes.h"

#include <cmath>
#include <functional>
#include <ranges>

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/near_match.h"

namespace tl {
namespace {

constexpr int kShapeSegments = 64;  ///< segments of round shapes

/// A vertex of a shape.
struct ShapePoint {
    vec3 position, normal;
};

/// Adds a grid of (n_u + 1) x (n_v + 1) vertices with texture coordinates (u, v) in [0, 1].
/// Outsides are where the derivative by u, crossed with that by v, points to.
void add_shape_grid(Mesh& mesh, int n_u, int n_v,
                    const std::function<ShapePoint(float, float)>& point) {
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (int j = 0; j <= n_v; ++j)
        for (int i = 0; i <= n_u; ++i) {
            vec2 uv(static_cast<float>(i) / static_cast<float>(n_u),
                    static_cast<float>(j) / static_cast<float>(n_v));
            auto at = point(uv.x, uv.y);
            mesh.positions.push_back(at.position);
            mesh.normals.push_back(glm::normalize(at.normal));
            mesh.uvs.push_back(uv);
        }
    auto row = static_cast<std::uint32_t>(n_u + 1);
    auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        auto &p = mesh.positions[a], &q = mesh.positions[b], &r = mesh.positions[c];
        if (p == q || q == r || r == p) return;  // at the apex of a cone, or the middle of a disc
        mesh.triangles.emplace_back(a, b, c);
        mesh.material_of_triangle.push_back(0);
    };
    for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(n_v); ++j)
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(n_u); ++i) {
            std::uint32_t a = first + j * row + i;
            add(a, a + 1, a + row + 1);
            add(a, a + row + 1, a + row);
        }
}

/// The direction at this fraction of a turn about y; one turn ends exactly where it begins.
vec3 turned_direction(float turn) {
    float angle = turn < 1 ? 2 * kPi * turn : 0;
    return {std::cos(angle), 0, -std::sin(angle)};
}

/// Adds a disc of radius 1/2 at a height, whose outside is up or down.
void add_shape_disc(Mesh& mesh, float y, bool up) {
    add_shape_grid(mesh, kShapeSegments, 1, [&](float u, float v) {
        vec3 way = turned_direction(up ? u : 1 - u);
        return ShapePoint{0.5f * (1 - v) * way + vec3(0, y, 0), vec3(0, up ? 1 : -1, 0)};
    });
}

Mesh shape_plane() {
    Mesh mesh;
    add_shape_grid(mesh, 1, 1, [](float u, float v) {
        return ShapePoint{vec3(u - 0.5f, 0, 0.5f - v), vec3(0, 1, 0)};
    });
    return mesh;
}

Mesh shape_cube() {
    Mesh mesh;
    for (int axis = 0; axis < 3; ++axis)
        for (float side : {-0.5f, 0.5f}) {
            vec3 out(0), a(0), b(0);
            out[axis] = 2 * side;
            a[(axis + 1) % 3] = 2 * side;
            b[(axis + 2) % 3] = 1;
            add_shape_grid(mesh, 1, 1, [&](float u, float v) {
                return ShapePoint{0.5f * out + (u - 0.5f) * a + (v - 0.5f) * b, out};
            });
        }
    return mesh;
}

Mesh shape_cylinder() {
    Mesh mesh;
    add_shape_grid(mesh, kShapeSegments, 1, [](float u, float v) {
        vec3 way = turned_direction(u);
        return ShapePoint{0.5f * way + vec3(0, v - 0.5f, 0), way};
    });
    add_shape_disc(mesh, 0.5f, true);
    add_shape_disc(mesh, -0.5f, false);
    return mesh;
}

Mesh shape_cone() {
    Mesh mesh;
    add_shape_grid(mesh, kShapeSegments, 1, [](float u, float v) {
        vec3 way = turned_direction(u);
        return ShapePoint{0.5f * (1 - v) * way + vec3(0, v - 0.5f, 0), way + vec3(0, 0.5f, 0)};
    });
    add_shape_disc(mesh, -0.5f, false);
    return mesh;
}

Mesh shape_torus() {
    constexpr float kTube = 0.125f, kMiddle = 0.5f - kTube;
    Mesh mesh;
    add_shape_grid(mesh, kShapeSegments, kShapeSegments / 2, [](float u, float v) {
        vec3 way = turned_direction(u);
        float angle = v < 1 ? 2 * kPi * v : 0;
        vec3 out = std::cos(angle) * way + vec3(0, std::sin(angle), 0);
        return ShapePoint{kMiddle * way + kTube * out, out};
    });
    return mesh;
}

}  // namespace

const std::vector<ShapeRow>& shapes() {
    static const std::vector<ShapeRow> rows{{"cube", "Cube", shape_cube},
                                            {"plane", "Plane", shape_plane},
                                            {"cylinder", "Cylinder", shape_cylinder},
                                            {"cone", "Cone", shape_cone},
                                            {"torus", "Torus", shape_torus}};
    return rows;
}

const ShapeRow& find_shape(const std::string& id) {
    for (auto& row : shapes())
        if (row.id == id) return row;
    auto ids = shapes() | std::views::transform([](auto& row) { return std::string(row.id); });
    throw UserError("unknown shape '" + id + "'" + known_names(id, ids));
}

}  // namespace tl
