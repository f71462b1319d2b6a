#include "renderer/scene/normals.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

// Faces around a vertex above which creases are ignored: pairs of faces are compared, quadratic.
constexpr std::size_t kMostCreasedFaces = 256;

/// Normalises in double precision, or returns zero: edges of valid meshes may be too short or too
/// long to square as floats.
vec3 unit(glm::dvec3 v) {
    double length = glm::length(v);
    return length > 0 ? vec3(v / length) : vec3(0);
}

/// One corner of a triangle at a vertex.
struct Spoke {
    std::uint32_t corner;
    float angle;
    vec3 face_normal;
};

/// The corners at each vertex, as one array with offsets.
struct Fans {
    std::vector<std::uint32_t> first;  // one element more than vertices
    std::vector<std::uint32_t> corners;
};

Fans corners_by_vertex(std::size_t n_vertices, std::span<const glm::uvec3> triangles) {
    Fans fans;
    fans.first.assign(n_vertices + 1, 0);
    for (auto& triangle : triangles)
        for (int k = 0; k < 3; ++k) ++fans.first[triangle[k] + 1];
    for (std::size_t v = 0; v < n_vertices; ++v) fans.first[v + 1] += fans.first[v];
    fans.corners.resize(triangles.size() * 3);
    auto next = fans.first;
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int k = 0; k < 3; ++k)
            fans.corners[next[triangles[t][k]]++] = static_cast<std::uint32_t>(3 * t + k);
    return fans;
}

Spoke spoke_of(std::uint32_t corner, std::span<const vec3> positions,
               std::span<const glm::uvec3> triangles) {
    auto& triangle = triangles[corner / 3];
    unsigned k = corner % 3;
    glm::dvec3 here = positions[triangle[k]];
    glm::dvec3 a = glm::dvec3(positions[triangle[(k + 1) % 3]]) - here;
    glm::dvec3 b = glm::dvec3(positions[triangle[(k + 2) % 3]]) - here;
    glm::dvec3 normal = glm::cross(a, b);
    double angle = std::atan2(glm::length(normal), glm::dot(a, b));
    return {corner, static_cast<float>(angle), unit(normal)};
}

}  // namespace

CornerNormals corner_normals(std::span<const vec3> positions, std::span<const glm::uvec3> triangles,
                             std::span<const std::uint32_t> smoothing_groups) {
    const float crease_cosine = std::cos(glm::radians(kCreaseAngle));
    Fans fans = corners_by_vertex(positions.size(), triangles);
    CornerNormals result;
    result.normals.reserve(positions.size());
    result.normal_of_corner.resize(triangles.size() * 3);
    std::vector<Spoke> fan;

    auto smooth_together = [&](const Spoke& a, const Spoke& b) {
        if (a.corner == b.corner || fan.size() > kMostCreasedFaces) return true;
        if (!smoothing_groups.empty()) {
            auto group = smoothing_groups[a.corner / 3];
            return group != 0 && group == smoothing_groups[b.corner / 3];
        }
        return glm::dot(a.face_normal, b.face_normal) > crease_cosine;
    };
    auto sum_around = [&](const Spoke& own) {
        glm::dvec3 sum(0);
        for (auto& spoke : fan)
            if (smooth_together(own, spoke))
                sum += glm::dvec3(spoke.face_normal) * double(spoke.angle);
        vec3 normal = unit(sum);
        if (normal == vec3(0)) normal = own.face_normal;
        return normal == vec3(0) ? vec3(0, 1, 0) : normal;  // only degenerate triangles
    };

    for (std::size_t v = 0; v < positions.size(); ++v) {
        fan.clear();
        for (auto c = fans.first[v]; c < fans.first[v + 1]; ++c)
            fan.push_back(spoke_of(fans.corners[c], positions, triangles));
        std::size_t first_normal = result.normals.size();
        bool share_one = fan.size() > kMostCreasedFaces;
        for (auto& own : fan) {
            // Corners that average the same faces get the same sum, bit for bit, and share it.
            std::size_t index = first_normal;
            if (!share_one || result.normals.size() == first_normal) {
                vec3 normal = sum_around(own);
                while (index < result.normals.size() && result.normals[index] != normal) ++index;
                if (index == result.normals.size()) result.normals.push_back(normal);
            }
            result.normal_of_corner[own.corner] = static_cast<std::uint32_t>(index);
        }
    }
    return result;
}

void add_normals(Mesh& mesh) {
    CornerNormals shading = corner_normals(mesh.positions, mesh.triangles);
    constexpr std::uint32_t kNone = UINT32_MAX;
    // A vertex keeps its index with its first normal; each further normal adds a copy of it.
    std::size_t n_vertices = mesh.positions.size();
    std::vector<std::uint32_t> vertex_of_normal(shading.normals.size(), kNone);
    std::vector<char> taken(n_vertices, 0);
    mesh.normals.assign(n_vertices, vec3(0, 1, 0));
    for (std::size_t corner = 0; corner < mesh.triangles.size() * 3; ++corner) {
        auto& vertex = mesh.triangles[corner / 3][static_cast<int>(corner % 3)];
        auto normal = shading.normal_of_corner[corner];
        auto& target = vertex_of_normal[normal];
        if (target == kNone && !taken[vertex]) {
            taken[vertex] = 1;
            target = vertex;
            mesh.normals[vertex] = shading.normals[normal];
        } else if (target == kNone) {
            target = static_cast<std::uint32_t>(mesh.positions.size());
            mesh.positions.push_back(mesh.positions[vertex]);
            if (!mesh.uvs.empty()) mesh.uvs.push_back(mesh.uvs[vertex]);
            if (!mesh.colors.empty()) mesh.colors.push_back(mesh.colors[vertex]);
            mesh.normals.push_back(shading.normals[normal]);
        }
        vertex = target;
    }
}

void complete_normals(Mesh& mesh) {
    if (mesh.normals.empty()) {
        add_normals(mesh);
        return;
    }
    bool complete = true;
    for (auto& normal : mesh.normals) {
        // Squared in double: a tiny normal is still a direction.
        double length = glm::length(glm::dvec3(normal));
        bool usable = length > 0 && std::isfinite(length);
        normal = usable ? vec3(glm::dvec3(normal) / length) : vec3(0);
        complete = complete && usable;
    }
    if (complete) return;
    std::vector<glm::dvec3> sums(mesh.positions.size(), glm::dvec3(0));
    for (auto& triangle : mesh.triangles) {
        glm::dvec3 a = mesh.positions[triangle.x];
        glm::dvec3 face = glm::cross(glm::dvec3(mesh.positions[triangle.y]) - a,
                                     glm::dvec3(mesh.positions[triangle.z]) - a);
        for (int k = 0; k < 3; ++k) sums[triangle[k]] += face;
    }
    for (std::size_t v = 0; v < mesh.normals.size(); ++v) {
        if (mesh.normals[v] != vec3(0)) continue;
        vec3 mean = unit(sums[v]);
        mesh.normals[v] = mean == vec3(0) ? vec3(0, 1, 0) : mean;
    }
}

}  // namespace tl
