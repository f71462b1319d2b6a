#include "app/commands/bench_points.h"

#include <tbb/parallel_for.h>

#include <cmath>

#include "accel/parallel/random.h"
#include "renderer/scene/scene.h"

namespace tl {
namespace {

vec3 direction_of_point(std::size_t i, std::uint64_t seed) {
    auto k = static_cast<std::uint32_t>(i), s = static_cast<std::uint32_t>(seed);
    Philox4 bits = philox4x32(k, 0, 0, 0, s, 0x706f696e);
    float y = 2 * to_unit_float(bits.v[0]) - 1, angle = 2 * kPi * to_unit_float(bits.v[1]);
    float r = std::sqrt(std::max(0.0f, 1 - y * y));
    return {r * std::cos(angle), y, r * std::sin(angle)};
}

vec3 on_surface(vec3 d) {
    return d * (1 + 0.3f * std::sin(5 * d.x) * std::sin(7 * d.y) * std::sin(6 * d.z));
}

/// The normal, as long as the surface is larger than the unit sphere.
vec3 normal_on_surface(vec3 d) {
    vec3 sines = glm::sin(vec3(5, 7, 6) * d), cosines = glm::cos(vec3(5, 7, 6) * d);
    float r = 1 + 0.3f * sines.x * sines.y * sines.z;
    vec3 slope = 0.3f * vec3(5 * cosines.x * sines.y * sines.z, 7 * sines.x * cosines.y * sines.z,
                             6 * sines.x * sines.y * cosines.z);
    vec3 along = slope - glm::dot(slope, d) * d;
    return r * (r * d - along);
}

}  // namespace

std::vector<vec3> bumpy_points(int n, std::uint64_t seed) {
    std::vector<vec3> points(static_cast<std::size_t>(n));
    tbb::parallel_for(std::size_t(0), points.size(),
                      [&](std::size_t i) { points[i] = on_surface(direction_of_point(i, seed)); });
    return points;
}

std::vector<Surfel> bumpy_surfels(int n, std::uint64_t seed) {
    std::vector<Surfel> surfels(static_cast<std::size_t>(n));
    tbb::parallel_for(std::size_t(0), surfels.size(), [&](std::size_t i) {
        vec3 d = direction_of_point(i, seed), normal = normal_on_surface(d);
        float stretch = glm::length(normal);
        surfels[i] = {on_surface(d), stretch * 4 * kPi / static_cast<float>(n), normal / stretch,
                      0};
    });
    return surfels;
}

std::vector<Surfel> surfels_of(const Scene& scene) {
    std::vector<Surfel> surfels;
    for (auto& mesh : scene.meshes) {
        std::size_t first = surfels.size();
        for (std::size_t v = 0; v < mesh.positions.size(); ++v)
            surfels.push_back({mesh.positions[v], 0,
                               mesh.normals.empty() ? vec3(0) : glm::normalize(mesh.normals[v]),
                               0});
        for (auto& t : mesh.triangles) {
            auto& p = mesh.positions;
            float area = 0.5f * glm::length(glm::cross(p[t.y] - p[t.x], p[t.z] - p[t.x]));
            for (int corner = 0; corner < 3; ++corner) surfels[first + t[corner]].area += area / 3;
        }
    }
    for (auto& sphere : scene.spheres) surfels.push_back({sphere.center, 0, vec3(0), 0});
    for (auto& splat : scene.splats)
        surfels.push_back({splat.center, kPi * splat.radius * splat.radius, splat.normal, 0});
    return surfels;
}

}  // namespace tl
