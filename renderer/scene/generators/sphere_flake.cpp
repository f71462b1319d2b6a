// Sphere flake: nine spheres of a third of the radius sit on every sphere (Haines 1987, "A proposal
// for standard graphics environments").
#include <cmath>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

constexpr int kDeepest = 7;  // 5,380,840 spheres

struct Flake {
    Scene& scene;
    std::vector<std::int32_t> materials;  ///< materials of the generations, cyclic

    /// Adds the sphere and `depth` generations on the side that `axis` points to.
    void grow(vec3 center, float radius, vec3 axis, int depth, std::size_t generation) const {
        scene.spheres.push_back({center, radius, materials[generation % materials.size()]});
        if (depth == 0) return;
        vec3 across = std::abs(axis.y) < 0.9f ? vec3(0, 1, 0) : vec3(1, 0, 0);
        vec3 u = glm::normalize(glm::cross(across, axis));
        vec3 v = glm::cross(axis, u);
        // Six spheres on the equator, and three between it and the pole, placed like a
        // tetrahedron's corners.
        for (int k = 0; k < 9; ++k) {
            float angle = k < 6 ? kPi / 3 * static_cast<float>(k)
                                : 2 * kPi / 3 * static_cast<float>(k - 6) + kPi / 6;
            float sine = k < 6 ? 0.0f : std::sqrt(2.0f / 3.0f);
            float cosine = std::sqrt(1 - sine * sine);
            vec3 direction =
                glm::normalize(cosine * (std::cos(angle) * u + std::sin(angle) * v) + sine * axis);
            grow(center + direction * (radius * 4 / 3), radius / 3, direction, depth - 1,
                 generation + 1);
        }
    }
};

void add_sphere_flake(Scene& scene, const GeneratorArguments& arguments) {
    int depth = arguments.integer<int>("depth", 4, 0, kDeepest);
    bool ground = arguments.flag("ground", true);

    std::size_t n_spheres = 0, generation = 1;
    for (int level = 0; level <= depth; ++level, generation *= 9) n_spheres += generation;
    require_memory(n_spheres * sizeof(Sphere), std::to_string(n_spheres) + " spheres");
    scene.spheres.reserve(scene.spheres.size() + n_spheres);
    // Generations alternate between mirrors and glossy spheres: mirrors alone look like noise.
    auto glossy = add_glossy(scene, "red", {0.6f, 0.16f, 0.08f}, 0.15f, 32);
    Flake flake{scene,
                {add_material(scene, "gold", MaterialKind::mirror, {0.92f, 0.72f, 0.38f}), glossy,
                 add_material(scene, "silver", MaterialKind::mirror, {0.85f, 0.87f, 0.9f})}};
    flake.grow(vec3(0), 1, vec3(0, 1, 0), depth, 0);

    if (ground) {
        auto material = add_material(scene, "ground", MaterialKind::diffuse, {0.45f, 0.42f, 0.38f});
        add_ground(scene, "ground", 12, -1, material);
    }
    add_directional_light(scene, {-0.5f, -1, -0.6f}, vec3(2.6f, 2.5f, 2.3f));
    add_directional_light(scene, {0.9f, -0.5f, -0.3f}, vec3(0.5f, 0.6f, 0.8f));
    scene.background = {0.25f, 0.38f, 0.6f};
    scene.camera = {.eye = {2.6f, 2.0f, 3.8f}, .target = {0, 0.15f, 0}, .vertical_fov = 42};
}

}  // namespace

Generator sphere_flake_generator() {
    return {
        "sphere-flake",
        "Spheres on spheres, nine each: depth (default 4: 7,381 spheres), ground (default true)",
        {"depth", "ground"},
        &add_sphere_flake};
}

}  // namespace tl
