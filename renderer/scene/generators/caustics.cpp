// A ring of gold, a ball and a goblet of glass on a table under one small light, which cast
// caustics on it: the classical test of photon mapping. Ring and goblet move, and the caustics with
// them.
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

/// Adds a ring about the vertical axis through `foot`, of a rectangular cross-section, with smooth
/// normals on its inside and outside.
void add_ring(Scene& scene, vec3 foot, float inner, float outer, float height, int n,
              std::int32_t material) {
    Mesh mesh = named_mesh("ring");
    auto add_vertex = [&](float angle, float radius, float y, vec3 normal) {
        mesh.positions.push_back(foot +
                                 vec3(radius * std::cos(angle), y, radius * std::sin(angle)));
        mesh.normals.push_back(normal);
    };
    for (int i = 0; i < n; ++i) {
        float angle = 2 * kPi * float(i) / float(n);
        vec3 out(std::cos(angle), 0, std::sin(angle)), up(0, 1, 0);
        add_vertex(angle, outer, 0, out);
        add_vertex(angle, outer, height, out);
        add_vertex(angle, outer, height, up);
        add_vertex(angle, inner, height, up);
        add_vertex(angle, inner, height, -out);
        add_vertex(angle, inner, 0, -out);
    }
    for (int i = 0; i < n; ++i) {
        auto a = static_cast<std::uint32_t>(6 * i),
             b = static_cast<std::uint32_t>(6 * ((i + 1) % n));
        for (std::uint32_t k : {0u, 2u, 4u})
            add_quad(mesh, a + k, a + k + 1, b + k + 1, b + k, material);
    }
    scene.meshes.push_back(std::move(mesh));
}

/// The outline of a goblet and of its inside, from the foot up and back down: radius and height.
constexpr float kGoblet[][2] = {{0, 0},          {0.30f, 0},      {0.32f, 0.02f}, {0.20f, 0.06f},
                                {0.06f, 0.14f},  {0.045f, 0.4f},  {0.08f, 0.55f}, {0.24f, 0.66f},
                                {0.34f, 0.84f},  {0.37f, 1.08f},  {0.35f, 1.32f}, {0.335f, 1.33f},
                                {0.325f, 1.31f}, {0.345f, 1.08f}, {0.31f, 0.86f}, {0.2f, 0.7f},
                                {0, 0.62f}};

void add_goblet(Scene& scene, vec3 foot, float size, int n, std::int32_t material) {
    Mesh mesh = named_mesh("goblet");
    constexpr int kRows = static_cast<int>(sizeof kGoblet / sizeof kGoblet[0]);
    for (auto [radius, height] : kGoblet)
        for (int i = 0; i < n; ++i) {
            float angle = 2 * kPi * float(i) / float(n);
            mesh.positions.push_back(
                foot + size * vec3(radius * std::cos(angle), height, radius * std::sin(angle)));
        }
    for (int row = 0; row + 1 < kRows; ++row)
        for (int i = 0; i < n; ++i) {
            auto at = [&](int r, int k) { return static_cast<std::uint32_t>(r * n + k % n); };
            std::uint32_t a = at(row, i), b = at(row + 1, i), c = at(row + 1, i + 1),
                          d = at(row, i + 1);
            // On the axis all points of a row coincide.
            if (row > 0) add_triangle(mesh, a, c, d, material);
            if (row + 2 < kRows) add_triangle(mesh, a, b, c, material);
        }
    take_smooth(scene, std::move(mesh));
}

/// Key of an animation at a part of the duration: translation, and tilt away from the z axis.
struct Pose {
    float phase;
    vec3 move;
    float lean;  ///< degrees
};

/// Animates a mesh through the poses, tilting it about `foot`.
void set_in_motion(Mesh& mesh, vec3 foot, float duration, std::initializer_list<Pose> poses) {
    Joint joint;
    joint.placement = glm::translate(glm::dmat4(1), glm::dvec3(foot));
    for (auto [phase, move, lean] : poses) {
        add_key(joint.translation, phase * duration, move);
        add_key(joint.rotation, phase * duration,
                glm::angleAxis(glm::radians(lean), vec3(0, 0, 1)));
    }
    mesh.animation.kind = AnimationKind::rigid;
    mesh.animation.rigid = {{joint}, glm::translate(glm::dmat4(1), -glm::dvec3(foot))};
    mesh.animation.period = duration;
}

void add_caustics(Scene& scene, const GeneratorArguments& arguments) {
    constexpr vec3 kRing{-1.1f, 0, 0.75f}, kGobletFoot{-0.15f, 0.002f, -0.55f};
    auto n = arguments.integer<int>("segments", 256, 8, 100'000);
    scene.duration = arguments.number("duration", 8, 1e-3f, 1e6f);
    auto table = add_material(scene, "table", MaterialKind::diffuse, {0.75f, 0.72f, 0.68f});
    auto gold = add_material(scene, "gold", MaterialKind::mirror, {0.95f, 0.7f, 0.35f});
    auto glass = add_material(scene, "glass", MaterialKind::dielectric, vec3(1));
    auto green = add_material(scene, "green glass", MaterialKind::dielectric, vec3(1));
    scene.materials[std::size_t(green)].absorption = vec3(1.6f, 0.15f, 0.9f);
    add_ground(scene, "table", 6, 0, table);
    add_ring(scene, kRing, 0.74f, 0.78f, 0.2f, n, gold);
    set_in_motion(scene.meshes.back(), kRing, scene.duration,
                  {{0, vec3(0), 0},
                   {0.25f, {0, 0.45f, 0}, 0},
                   {0.4f, {0, 0.45f, 0}, 20},
                   {0.55f, {0, 0.45f, 0}, -20},
                   {0.7f, {0, 0.45f, 0}, 0},
                   {0.95f, vec3(0), 0},
                   {1, vec3(0), 0}});
    scene.spheres.push_back({{0.62f, 0.42f, 1}, 0.42f, green});
    add_goblet(scene, kGobletFoot, 1, n, glass);
    set_in_motion(scene.meshes.back(), kGobletFoot, scene.duration,
                  {{0, vec3(0), 0}, {0.5f, {0.9f, 0, -0.15f}, 0}, {1, vec3(0), 0}});

    Light lamp;
    lamp.kind = LightKind::sphere;
    lamp.position = {-4.2f, 2.9f, -0.4f};
    lamp.radius = 0.06f;
    lamp.radiance = vec3(7000, 6500, 5600);
    scene.lights.push_back(lamp);
    scene.background = vec3(0.02f, 0.025f, 0.035f);
    scene.camera = {.eye = {0.35f, 3, 4.1f}, .target = {0, 0.25f, 0.35f}, .vertical_fov = 38};
}

}  // namespace

Generator caustics_generator() {
    return {"caustics",
            "A ring of gold, a ball and a goblet of glass that draw bright curves on a table: "
            "segments of the round shapes (default 256), duration (default 8 s)",
            {"segments", "duration"},
            &add_caustics};
}

}  // namespace tl
