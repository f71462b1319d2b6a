// A scene's meshes and rectangle lights in host memory, as one list of vertices and triangles.
#pragma once

#include <vector>

#include "renderer/scene/live/animation.h"
#include "renderer/scene/scene.h"

namespace tl {

struct SceneGeometry {
    std::vector<vec3> positions, normals;
    std::vector<vec2> uvs;
    std::vector<vec3> colors;             ///< empty where no mesh has any
    std::vector<glm::uvec3> triangles;    ///< the scene's own, then those of instanced meshes
    std::vector<std::int32_t> materials;  ///< material of each triangle
    std::vector<MovingMesh> moving;

    /// Reserves memory once, so that appending several meshes does not double the vectors.
    void reserve(std::size_t n_vertices, std::size_t n_triangles) {
        positions.reserve(n_vertices);
        normals.reserve(n_vertices);
        uvs.reserve(n_vertices);
        triangles.reserve(n_triangles);
        materials.reserve(n_triangles);
    }
    void add(const Mesh& mesh) {
        std::size_t first = positions.size();
        auto kind = mesh.animation.kind;
        if (kind == AnimationKind::explode)
            add_unshared(mesh);
        else
            add_shared(mesh);
        if (!mesh.colors.empty() || !colors.empty()) add_colors(mesh, first);
        materials.insert(materials.end(), mesh.material_of_triangle.begin(),
                         mesh.material_of_triangle.end());
        if (kind != AnimationKind::none)
            moving.push_back({mesh.animation, first, positions.size() - first, mesh.frames,
                              mesh.simulation.get()});
    }
    void add_shared(const Mesh& mesh) {
        auto base = static_cast<std::uint32_t>(positions.size());
        positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
        normals.insert(normals.end(), mesh.normals.begin(), mesh.normals.end());
        uvs.insert(uvs.end(), mesh.uvs.begin(), mesh.uvs.end());
        normals.resize(positions.size(), vec3(0));
        uvs.resize(positions.size(), vec2(0));
        for (auto triangle : mesh.triangles) triangles.push_back(triangle + base);
    }
    /// Adds a mesh with three unshared vertices for each triangle.
    void add_unshared(const Mesh& mesh) {
        for (auto triangle : mesh.triangles) {
            auto first = static_cast<std::uint32_t>(positions.size());
            triangles.emplace_back(first, first + 1, first + 2);
            for (int k = 0; k < 3; ++k) {
                auto v = triangle[k];
                positions.push_back(mesh.positions[v]);
                normals.push_back(mesh.normals.empty() ? vec3(0) : mesh.normals[v]);
                uvs.push_back(mesh.uvs.empty() ? vec2(0) : mesh.uvs[v]);
            }
        }
    }
    /// Adds the colours of a mesh whose vertices start at index `first`.
    void add_colors(const Mesh& mesh, std::size_t first) {
        colors.resize(first, vec3(1));
        if (mesh.colors.empty()) {
            colors.resize(positions.size(), vec3(1));
        } else if (mesh.animation.kind == AnimationKind::explode) {
            for (auto triangle : mesh.triangles)
                for (int k = 0; k < 3; ++k) colors.push_back(mesh.colors[triangle[k]]);
        } else {
            colors.insert(colors.end(), mesh.colors.begin(), mesh.colors.end());
        }
    }
    /// Adds the visible surface of a rectangle light, facing its side of emission.
    void add_rectangle(const Light& light, std::int32_t material) {
        Mesh mesh;
        vec3 p = light.position, u = light.edge_u, v = light.edge_v;
        mesh.positions = {p, p + u, p + u + v, p + v};
        mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
        mesh.material_of_triangle = {material, material};
        add(mesh);
    }
};

}  // namespace tl
