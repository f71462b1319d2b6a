#include "renderer/scene/export/export_meshes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "renderer/scene/gltf_extras.h"
#include "renderer/scene/limits.h"

namespace tl {
namespace {

constexpr std::uint32_t kNoVertex = UINT32_MAX;

/// Triangles grouped by material, each group in the order of the mesh.
std::map<std::int32_t, std::vector<std::uint32_t>> by_material(const Mesh& mesh,
                                                               std::int32_t material) {
    std::map<std::int32_t, std::vector<std::uint32_t>> lists;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        lists[material >= 0 ? material : mesh.material_of_triangle[t]].push_back(
            static_cast<std::uint32_t>(t));
    return lists;
}

/// Normal of a triangle's plane; arbitrary for a triangle without area.
vec3 face_normal(const Mesh& mesh, glm::uvec3 t) {
    glm::dvec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
    glm::dvec3 normal = glm::cross(b - a, c - a);
    double length = glm::length(normal);
    return length > 0 && std::isfinite(length) ? vec3(normal / length) : vec3(0, 1, 0);
}

/// Whether a normal is missing; the normal of the triangle's plane replaces it.
bool is_missing(vec3 normal) {
    return !(glm::dot(normal, normal) > 1e-12f);
}

/// The normal at unit length, as the format requires. Unchanged where its length is 1 up to
/// rounding.
vec3 unit(vec3 normal) {
    float square = glm::dot(normal, normal);
    return std::abs(square - 1) < 1e-5f ? normal : normal / std::sqrt(square);
}

}  // namespace

int ExportMeshes::add(const Mesh& mesh, std::int32_t material) {
    if (mesh.triangles.empty()) return -1;
    Json primitives = Json::array();
    for (auto& [index, triangles] : by_material(mesh, material))
        primitives.push_back(
            part(mesh, triangles, materials_.is_textured(index), materials_.of(index)));
    Json out;
    if (!mesh.name.empty()) out["name"] = mesh.name;
    out["primitives"] = std::move(primitives);
    return file_.meshes.add(out);
}

int ExportMeshes::add_lamp(const Mesh& mesh, int file_material) {
    std::vector<std::uint32_t> all(mesh.triangles.size());
    std::iota(all.begin(), all.end(), 0u);
    return file_.meshes.add({{"name", mesh.name},
                             {"primitives", Json::array({part(mesh, all, false, file_material)})}});
}

int ExportMeshes::add_points(const Json& attributes, std::int32_t material) {
    constexpr int kPoints = 0;
    return file_.meshes.add({{"primitives", Json::array({{{"attributes", attributes},
                                                          {"material", materials_.of(material)},
                                                          {"mode", kPoints}}})}});
}

int ExportMeshes::add_points(std::span<const Sphere* const> spheres, std::int32_t material) {
    std::vector<vec3> positions, colors, emission;
    for (auto* sphere : spheres) {
        positions.push_back(sphere->center);
        colors.push_back(sphere->color);
        emission.push_back(sphere->emission);
    }
    Json attributes{{"POSITION", file_.add_vectors(positions, AccessorUse::positions)}};
    add_unless(attributes, "COLOR_0", colors, vec3(1));
    add_unless(attributes, kGltfEmission, emission, vec3(0));
    return add_points(attributes, material);
}

void ExportMeshes::add_unless(Json& attributes, const char* name, std::span<const vec3> values,
                              vec3 common) {
    if (std::ranges::any_of(values, [&](vec3 value) { return value != common; }))
        attributes[name] = file_.add_vectors(values, AccessorUse::vertices);
}

int ExportMeshes::add_splats(std::span<const Splat* const> splats, std::int32_t material) {
    std::vector<vec3> positions, normals, colors, emission;
    std::vector<float> radii;
    for (auto* splat : splats) {
        positions.push_back(splat->center);
        normals.push_back(splat->normal);
        colors.push_back(splat->color);
        emission.push_back(splat->emission);
        radii.push_back(splat->radius);
    }
    Json attributes{{"POSITION", file_.add_vectors(positions, AccessorUse::positions)},
                    {"NORMAL", file_.add_vectors(normals, AccessorUse::vertices)},
                    {kGltfRadii, file_.add_rows(radii, 1, AccessorUse::vertices)}};
    add_unless(attributes, "COLOR_0", colors, vec3(1));
    add_unless(attributes, kGltfEmission, emission, vec3(0));
    return add_points(attributes, material);
}

/// Writes these triangles of a mesh, with the vertices that they use, as a primitive.
Json ExportMeshes::part(const Mesh& mesh, std::span<const std::uint32_t> triangles,
                        bool is_textured, int file_material) {
    if (new_index_.size() < mesh.positions.size())
        new_index_.resize(mesh.positions.size(), kNoVertex);
    std::vector<vec3> positions, normals, colors;
    std::vector<vec2> uvs;
    std::vector<std::uint32_t> corners;
    corners.reserve(3 * triangles.size());
    auto add_vertex = [&](std::uint32_t v, glm::uvec3 triangle, bool is_flat) {
        positions.push_back(mesh.positions[v]);
        if (!mesh.normals.empty())
            normals.push_back(is_flat ? face_normal(mesh, triangle) : unit(mesh.normals[v]));
        if (!mesh.uvs.empty()) uvs.push_back(mesh.uvs[v]);
        if (!mesh.colors.empty()) colors.push_back(mesh.colors[v]);
        return static_cast<std::uint32_t>(positions.size() - 1);
    };
    for (auto t : triangles) {
        glm::uvec3 triangle = mesh.triangles[t];
        for (int k = 0; k < 3; ++k) {
            std::uint32_t v = triangle[k];
            bool is_flat = !mesh.normals.empty() && is_missing(mesh.normals[v]);
            if (is_flat) {
                corners.push_back(add_vertex(v, triangle, true));
                continue;
            }
            if (new_index_[v] == kNoVertex) new_index_[v] = add_vertex(v, triangle, false);
            corners.push_back(new_index_[v]);
        }
    }
    for (auto t : triangles)
        for (int k = 0; k < 3; ++k) new_index_[mesh.triangles[t][k]] = kNoVertex;
    n_triangles_ += triangles.size();
    return primitive({positions, normals, uvs, colors}, corners, is_textured, file_material);
}

Json ExportMeshes::primitive(const Buffers& vertices, std::span<const std::uint32_t> corners,
                             bool is_textured, int file_material) {
    Json attributes{{"POSITION", file_.add_vectors(vertices.positions, AccessorUse::positions)}};
    if (!vertices.normals.empty())
        attributes["NORMAL"] = file_.add_vectors(vertices.normals, AccessorUse::vertices);
    if (!vertices.uvs.empty() || is_textured) {
        // Texture coordinate v of glTF starts at the upper edge.
        std::vector<float> uvs(2 * vertices.positions.size());
        for (std::size_t i = 0; i < vertices.positions.size(); ++i) {
            vec2 uv = vertices.uvs.empty() ? vec2(0) : finite_or_zero(vertices.uvs[i]);
            uvs[2 * i] = uv.x;
            uvs[2 * i + 1] = 1 - uv.y;
        }
        attributes["TEXCOORD_0"] = file_.add_rows(uvs, 2, AccessorUse::vertices);
    }
    if (!vertices.colors.empty())
        attributes["COLOR_0"] = file_.add_vectors(vertices.colors, AccessorUse::vertices);
    return {{"attributes", attributes},
            {"indices", file_.add_indices(corners)},
            {"material", file_material}};
}

}  // namespace tl
