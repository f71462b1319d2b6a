// Random points on smooth shapes, with their exact normals, as splats: the measurements of a
// perfect scanner. The shapes are known in closed form, so that pictures can be compared with them.
#include <cmath>
#include <random>

#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/splats/close_surface.h"
#include "renderer/scene/splats/grow_splats.h"

namespace tl {
namespace {

using Engine = std::mt19937_64;

/// Uniform in [0, 1), the same with every standard library.
double unit(Engine& engine) {
    return static_cast<double>(engine() >> 11) * 0x1p-53;
}

struct ShapeSampler {
    Scene& scene;
    double noise;  ///< standard deviation of positions along the normal, m
    Engine engine{1};

    void add(glm::dvec3 place, glm::dvec3 normal, std::int32_t material) {
        normal = glm::normalize(normal);
        if (noise > 0) {
            // Box & Muller 1958.
            double radius = std::sqrt(-2 * std::log(1 - unit(engine)));
            place += noise * radius * std::cos(2 * double{kPi} * unit(engine)) * normal;
        }
        scene.splats.push_back(
            {.center = vec3(place), .normal = vec3(normal), .material = material});
    }
    void add_sphere(std::size_t n, std::int32_t material) {
        for (std::size_t i = 0; i < n; ++i) {
            double z = 2 * unit(engine) - 1, angle = 2 * double{kPi} * unit(engine);
            double ring = std::sqrt(1 - z * z);
            glm::dvec3 place(ring * std::cos(angle), z, ring * std::sin(angle));
            add(place, place, material);
        }
    }
    /// A torus about `center`, in the plane of the unit vectors `x` and `y`.
    void add_ring(std::size_t n, glm::dvec3 center, glm::dvec3 x, glm::dvec3 y,
                  std::int32_t material) {
        constexpr double kRadius = 1, kTube = 0.3;
        const glm::dvec3 axis = glm::cross(x, y);
        for (std::size_t i = 0; i < n;) {
            double along = 2 * double{kPi} * unit(engine), around = 2 * double{kPi} * unit(engine);
            // The outer side has more area.
            double radius = kRadius + kTube * std::cos(around);
            if (unit(engine) * (kRadius + kTube) > radius) continue;
            glm::dvec3 out = std::cos(along) * x + std::sin(along) * y;
            glm::dvec3 normal = std::cos(around) * out + std::sin(around) * axis;
            add(center + kRadius * out + kTube * normal, normal, material);
            ++i;
        }
    }
};

std::int32_t material_of(Scene& scene, std::size_t choice) {
    switch (choice) {
        case 1:
            return add_glossy(scene, "glossy", {0.55f, 0.16f, 0.1f}, 0.3f, 60);
        case 2:
            return add_material(scene, "mirror", MaterialKind::mirror, {0.9f, 0.85f, 0.75f});
        case 3:
            return add_material(scene, "glass", MaterialKind::dielectric, vec3(1));
        default:
            return add_material(scene, "diffuse", MaterialKind::diffuse, {0.6f, 0.5f, 0.4f});
    }
}

void add_splats(Scene& scene, const GeneratorArguments& arguments) {
    auto n = arguments.integer<std::size_t>("points", 100'000, 100, 50'000'000);
    bool is_sphere = arguments.choice("shape", {"rings", "sphere"}) == 1;
    std::size_t choice = arguments.choice("material", {"diffuse", "glossy", "mirror", "glass"});
    float error = arguments.number("error", 0, 0, 0.1f);
    double noise = double{arguments.number("noise", 0, 0, 0.1f)};
    bool ground = arguments.flag("ground", true);
    require_memory(n * (sizeof(Splat) + 100), std::to_string(n) + " splats");

    std::size_t first = scene.splats.size();
    scene.splats.reserve(first + n);
    auto material = material_of(scene, choice);
    ShapeSampler sampler{scene, noise};
    if (is_sphere) {
        sampler.add_sphere(n, material);
    } else {
        auto mirror = material_of(scene, 2), glossy = material_of(scene, 1);
        std::size_t third = n / 3;
        sampler.add_ring(third, {-1.35, 0, 0}, {1, 0, 0}, {0, 0, 1}, mirror);
        sampler.add_ring(third, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, material);
        sampler.add_ring(n - 2 * third, {1.35, 0, 0}, {1, 0, 0}, {0, 0, 1}, glossy);
    }
    close_surface(std::span(scene.splats).subspan(first));
    if (error > 0) {
        auto grown = grow_splats(std::span(scene.splats).subspan(first), {.error = error});
        scene.splats.resize(first);
        scene.splats.insert(scene.splats.end(), grown.begin(), grown.end());
    }
    if (ground) {
        auto grey = add_material(scene, "ground", MaterialKind::diffuse, {0.45f, 0.42f, 0.38f});
        add_ground(scene, "ground", 12, is_sphere ? -1.02f : -1.32f, grey);
    }
    add_point_light(scene, {-3, 5, 4}, vec3(45, 43, 40));
    add_directional_light(scene, {0.9f, -0.7f, -0.5f}, vec3(0.7f, 0.8f, 1));
    scene.background = {0.25f, 0.38f, 0.6f};
    scene.camera = {.eye = {2.2f, 2.2f, 4.6f}, .target = {0, -0.1f, 0}, .vertical_fov = 40};
}

}  // namespace

Generator splats_generator() {
    return {
        "splats",
        "Points with normals on smooth shapes, as splats: points (default 100,000), shape "
        "(rings, sphere), material (diffuse, glossy, mirror, glass), error (default 0: a splat "
        "for each point; else the largest distance from a larger splat's plane), noise "
        "(default 0: standard deviation of positions along the normal, m), ground (default true)",
        {"points", "shape", "material", "error", "noise", "ground"},
        &add_splats};
}

}  // namespace tl
