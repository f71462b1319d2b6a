// [[mesh]] tables that are no files: vertices, boxes and shapes.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/shapes.h"
#include "renderer/scene/toml/toml_geometry.h"

namespace tl {
namespace {

/// Reads a mesh whose vertices are given in the scene file. Like a model, it may be recentred, by
/// the value that Scene::offset is set to.
Mesh read_inline_mesh(Scene& scene, TomlTable& table, std::int32_t material) {
    Mesh mesh;
    mesh.positions = recentred(table.vectors<glm::dvec3>("positions"), scene);
    std::size_t n_vertices = mesh.positions.size();
    auto triangles = table.indices("triangles", 3, n_vertices);
    auto quads = table.indices("quads", 4, n_vertices);
    for (std::size_t i = 0; i < triangles.size(); i += 3)
        mesh.triangles.emplace_back(triangles[i], triangles[i + 1], triangles[i + 2]);
    for (std::size_t i = 0; i < quads.size(); i += 4) {
        mesh.triangles.emplace_back(quads[i], quads[i + 1], quads[i + 2]);
        mesh.triangles.emplace_back(quads[i], quads[i + 2], quads[i + 3]);
    }
    mesh.material_of_triangle.assign(mesh.triangles.size(), material);
    if (mesh.triangles.empty())
        table.fail("triangles",
                   "[[mesh]] has no triangles: give 'file', 'shape', 'boxes', or 'positions' with "
                   "'triangles' or 'quads'");
    mesh.normals = table.vectors<vec3>("normals");
    mesh.uvs = table.vectors<vec2>("uvs");
    for (auto& [key, count] :
         {std::pair{"normals", mesh.normals.size()}, std::pair{"uvs", mesh.uvs.size()}})
        if (count != 0 && count != n_vertices)
            table.fail(key, std::string("[[mesh]] has ") + std::to_string(count) + " " + key +
                                " for " + std::to_string(n_vertices) + " positions");
    for (auto& normal : mesh.normals) {
        if (!(glm::length(normal) > 0)) table.fail("normals", "a normal of no length");
        normal = glm::normalize(normal);
    }
    return mesh;
}

/// Reads boxes, each given by two opposite corners, as one mesh; recentred as a model is.
Mesh read_boxes(Scene& scene, TomlTable& table, std::int32_t material) {
    const auto numbers = table.numbers("boxes", 6);
    if (numbers.empty()) table.fail("boxes", "[[mesh]] boxes is empty");
    std::vector<glm::dvec3> corners;
    for (std::size_t i = 0; i < numbers.size(); i += 3)
        corners.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
    for (std::size_t i = 0; i < corners.size(); i += 2) {
        auto [a, b] = std::pair{corners[i], corners[i + 1]};
        if (a.x == b.x || a.y == b.y || a.z == b.z)
            table.fail("boxes", "[[mesh]] boxes: box " + std::to_string(i / 2) +
                                    " is flat; give two opposite corners: "
                                    "[x0, y0, z0, x1, y1, z1]");
        corners[i] = glm::min(a, b), corners[i + 1] = glm::max(a, b);
    }
    const auto ends = recentred(std::move(corners), scene);
    Mesh mesh;
    for (std::size_t i = 0; i < ends.size(); i += 2) add_box(mesh, ends[i], ends[i + 1], material);
    return mesh;
}

Mesh read_shape(TomlTable& table, std::int32_t material) {
    try {
        Mesh mesh = find_shape(table.text("shape", "")).make();
        std::ranges::fill(mesh.material_of_triangle, material);
        return mesh;
    } catch (const UserError& error) {
        table.fail("shape", error.what());
    }
}

}  // namespace

Mesh read_own_mesh(Scene& scene, TomlTable& table, std::int32_t material) {
    if (table.has("boxes")) return read_boxes(scene, table, material);
    if (table.has("shape")) return read_shape(table, material);
    return read_inline_mesh(scene, table, material);
}

}  // namespace tl
