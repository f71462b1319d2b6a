#include "app/commands/bench_points.h"

#include <tbb/parallel_for.h>

#include <cmath>

#include "core/base/random.h"
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

/// Four numbers in (0, 1) for point i.
vec4 numbers_of_point(std::size_t i, std::uint64_t seed) {
    Philox4 bits = philox4x32(static_cast<std::uint32_t>(i), 1, 0, 0,
                              static_cast<std::uint32_t>(seed), 0x706f696e);
    vec4 numbers;
    for (int k = 0; k < 4; ++k) numbers[k] = std::max(to_unit_float(bits.v[k]), 1e-6f);
    return numbers;
}

/// A smooth closed surface, with the length of its normal as normal_on_surface().
Surfel on_body(vec3 d, float area) {
    constexpr float kHeight = 0.2f;
    const vec3 frequency(2, 3, 2);
    vec3 s = glm::sin(frequency * d), c = frequency * glm::cos(frequency * d);
    float r = 1 + kHeight * s.x * s.y * s.z;
    vec3 slope = kHeight * vec3(c.x * s.y * s.z, s.x * c.y * s.z, s.x * s.y * c.z);
    vec3 normal = r * (r * d - (slope - glm::dot(slope, d) * d));
    float stretch = glm::length(normal);
    return {r * d, area * stretch, normal / stretch, 0};
}

/// On one of the six walls of a box from -2 to 2, which face its inside.
Surfel on_wall(std::size_t wall, vec4 numbers, float area) {
    vec3 place = 4.0f * vec3(numbers) - 2.0f, normal(0);
    auto axis = static_cast<int>(wall % 3);
    float side = wall < 3 ? -1.0f : 1.0f;
    place[axis] = 2 * side;
    normal[axis] = -side;
    return {place, area, normal, 0};
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

const std::vector<std::string>& surfel_shapes() {
    static const std::vector<std::string> shapes{"uniform", "sphere",  "surface",
                                                 "box",     "plummer", "clusters"};
    return shapes;
}

std::vector<Surfel> shaped_surfels(const std::string& shape, int n, std::uint64_t seed) {
    if (shape == "surface") return bumpy_surfels(n, seed);
    std::vector<Surfel> surfels(static_cast<std::size_t>(n));
    float area = 4 * kPi / static_cast<float>(n);
    tbb::parallel_for(std::size_t(0), surfels.size(), [&](std::size_t i) {
        vec3 d = direction_of_point(i, seed);
        vec4 numbers = numbers_of_point(i, seed);
        vec3 cube = 2.0f * vec3(numbers) - 1.0f;
        Surfel& surfel = surfels[i];
        surfel = {d, area, -d, 0};
        if (shape == "box" && i % 2)
            surfel = on_wall(i / 2 % 6, numbers, 6 * 16 * 2 / static_cast<float>(n));
        else if (shape == "box")
            surfel = on_body(d, 2 * area);
        else if (shape == "uniform")
            surfel.position = cube;
        else if (shape == "clusters")
            surfel.position = i % 2 ? vec3(1, 2, 3) + 1e-6f * cube : cube;
        else if (shape == "plummer")
            surfel.position =
                d / std::sqrt(std::pow(std::min(numbers.w, 0.999f), -2.0f / 3.0f) - 1);
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
