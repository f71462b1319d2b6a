// Explosion: the tube of a trefoil knot, whose triangles fly away, tumbling, and come back. A tree
// built for one time does not fit another: the hard case for refitting.
#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

constexpr float kTubeRadius = 0.55f;

struct TubePoint {
    vec3 position, normal;
};

/// A point of the tube, periodic in `along` the knot and `around` its tube, both from 0 to 1.
TubePoint knot_at(float along, float around) {
    float t = 2 * kPi * along, a = 2 * kPi * around;
    auto curve = [](float t) {
        float r = 2 + std::cos(3 * t);
        return vec3(r * std::cos(2 * t), r * std::sin(2 * t), std::sin(3 * t));
    };
    constexpr float kStep = 1e-3f;
    vec3 center = curve(t), tangent = glm::normalize(curve(t + kStep) - curve(t - kStep));
    // Direction from the circle that the knot winds around: continuous along the closed knot.
    vec3 away = center - 2.0f * vec3(std::cos(2 * t), std::sin(2 * t), 0);
    vec3 u = glm::normalize(away - tangent * glm::dot(away, tangent));
    vec3 normal = std::cos(a) * u + std::sin(a) * glm::cross(tangent, u);
    return {center + kTubeRadius * normal, normal};
}

Mesh knot(std::uint32_t n_triangles, const std::array<std::int32_t, 3>& materials) {
    // The knot is about eighteen times as long as its tube's circumference.
    auto n_around = std::max(3u, static_cast<std::uint32_t>(std::lround(
                                     std::sqrt(static_cast<double>(n_triangles) / 2 / 11))));
    auto n_along = std::max(12u, (n_triangles + n_around) / (2 * n_around));
    Mesh mesh = named_mesh("knot");
    reserve(mesh, std::uint64_t{n_around} * n_along, std::uint64_t{2} * n_around * n_along, true);
    for (std::uint32_t i = 0; i < n_along; ++i)
        for (std::uint32_t j = 0; j < n_around; ++j) {
            auto point = knot_at(static_cast<float>(i) / static_cast<float>(n_along),
                                 static_cast<float>(j) / static_cast<float>(n_around));
            mesh.positions.push_back(point.position);
            mesh.normals.push_back(point.normal);
        }
    for (std::uint32_t i = 0; i < n_along; ++i)
        for (std::uint32_t j = 0; j < n_around; ++j) {
            auto at = [&](std::uint32_t di, std::uint32_t dj) {
                return (i + di) % n_along * n_around + (j + dj) % n_around;
            };
            auto material = materials[std::uint64_t{i} * 9 / n_along % 3];
            add_triangle(mesh, at(0, 0), at(1, 1), at(1, 0), material);
            add_triangle(mesh, at(0, 0), at(0, 1), at(1, 1), material);
        }
    return mesh;
}

void add_explosion(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer<std::uint32_t>("triangles", 100'000, 72, 100'000'000);
    float distance = arguments.number("distance", 3, 0, 1e6f);
    float turns = arguments.number("turns", 1, 0, 1000);
    scene.duration = arguments.number("duration", 6, 1e-3f, 1e6f);
    std::array materials{add_glossy(scene, "red", {0.7f, 0.16f, 0.1f}, 0.12f, 32),
                         add_glossy(scene, "ivory", {0.8f, 0.76f, 0.66f}, 0.12f, 32),
                         add_glossy(scene, "blue", {0.12f, 0.3f, 0.6f}, 0.12f, 32)};
    auto floor = add_material(scene, "floor", MaterialKind::diffuse, {0.5f, 0.49f, 0.47f});

    Mesh mesh = knot(n_triangles, materials);
    mesh.animation.kind = AnimationKind::explode;
    mesh.animation.distance = distance;
    mesh.animation.turns = turns;
    scene.meshes.push_back(std::move(mesh));
    add_ground(scene, "floor", 30, -4.2f, floor);

    add_directional_light(scene, {-0.5f, -1, -0.6f}, vec3(2.5f, 2.4f, 2.2f));
    add_directional_light(scene, {0.9f, -0.3f, -0.5f}, vec3(0.5f, 0.6f, 0.8f));
    scene.background = {0.32f, 0.4f, 0.52f};
    scene.camera = {.eye = {3, 2.5f, 12.5f}, .target = {0, -0.3f, 0}, .vertical_fov = 45};
}

}  // namespace

Generator explosion_generator() {
    return {"explosion",
            "A knot whose triangles fly apart and come back: triangles (about; default 100,000), "
            "distance (default 3), turns (default 1), duration (default 6 s)",
            {"triangles", "distance", "turns", "duration"},
            &add_explosion};
}

}  // namespace tl
