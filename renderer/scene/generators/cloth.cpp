// Cloth on a ball: a sheet falls on a ball, drapes it and flies up, by frames of a simulation; its
// triangles are equally large and all move. Substitutes Zeidan's (2011) scene of that name.
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "renderer/scene/generators/cloth_simulation.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

constexpr int kFrames = 40;
constexpr float kSecondsOfFrame = 1.0f / 15;
constexpr float kBallRadius = 1,
                kGap = 0.02f;  // between ball and cloth, for coarse steps of either

/// Vertices of a square grid of `n` by `n` cells, with normals from their neighbours.
MeshFrame frame_of(const ClothSimulation& cloth, std::uint32_t n) {
    MeshFrame frame;
    std::size_t stride = std::size_t{n} + 1;
    frame.positions.resize(stride * stride);
    auto part = [&](std::size_t i) { return static_cast<float>(i) / static_cast<float>(n); };
    tbb::parallel_for(std::size_t{0}, stride, [&](std::size_t row) {
        for (std::size_t column = 0; column < stride; ++column)
            frame.positions[row * stride + column] = cloth.at(part(column), part(row));
    });
    set_grid_normals(frame.positions, n, frame.normals);
    return frame;
}

/// The material of a cell: checks of two colours within a hem.
std::int32_t weave(std::uint32_t row, std::uint32_t column, std::uint32_t n,
                   const std::int32_t (&colors)[3]) {
    constexpr std::uint32_t kChecks = 12;
    std::uint32_t from_hem = std::min({row, column, n - 1 - row, n - 1 - column});
    if (32 * from_hem < n) return colors[2];
    return colors[(row * kChecks / n + column * kChecks / n) % 2];
}

Mesh cloth_mesh(std::uint32_t n, const std::int32_t (&colors)[3]) {
    Mesh mesh = named_mesh("cloth");
    std::uint64_t n_vertices = std::uint64_t{n + 1} * (n + 1);
    require_memory(n_vertices * 24 * (kFrames + 1), "the frames of a cloth");
    ClothSimulation::Config config;
    config.ball = {0, kBallRadius, 0};
    config.ball_radius = kBallRadius + kGap;
    ClothSimulation cloth(config);
    for (int i = 0; i < kFrames; ++i) {
        if (i > 0) cloth.advance(kSecondsOfFrame);
        mesh.frames.push_back(frame_of(cloth, n));
    }
    mesh.positions = mesh.frames[0].positions;
    mesh.normals = mesh.frames[0].normals;
    add_grid(mesh, n, n, [&](std::uint32_t row, std::uint32_t column) {
        return weave(row, column, n, colors);
    });
    mesh.animation.kind = AnimationKind::frames;
    mesh.animation.returns = true;
    return mesh;
}

void add_cloth(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer("triangles", 92'000, 5'000, 5'000'000);
    scene.duration = arguments.number("duration", 2 * kFrames * kSecondsOfFrame, 1e-3f, 1e6f);
    const std::int32_t colors[] = {
        add_material(scene, "red check", MaterialKind::diffuse, {0.62f, 0.07f, 0.06f}),
        add_material(scene, "white check", MaterialKind::diffuse, {0.82f, 0.78f, 0.7f}),
        add_material(scene, "hem", MaterialKind::diffuse, {0.1f, 0.16f, 0.4f})};
    auto ball_color = add_glossy(scene, "ball", {0.12f, 0.32f, 0.5f}, 0.15f, 60);
    auto floor_color = add_material(scene, "floor", MaterialKind::diffuse, {0.45f, 0.43f, 0.4f});

    Mesh ball = named_mesh("ball");
    add_ball(ball, {0, kBallRadius, 0}, vec3(kBallRadius), 48, 25, ball_color);
    constexpr std::size_t kFloor = 2;  // triangles
    double others = static_cast<double>(ball.triangles.size() + kFloor);
    auto n = std::lround(std::sqrt((static_cast<double>(n_triangles) - others) / 2));
    scene.meshes.push_back(cloth_mesh(static_cast<std::uint32_t>(n), colors));
    take_smooth(scene, std::move(ball));
    add_ground(scene, "floor", 30, 0, floor_color);

    constexpr vec3 kLamp{3.5f, 7, 4};
    scene.lights.push_back({.kind = LightKind::spot,
                            .position = kLamp,
                            .direction = glm::normalize(vec3(0, 0.8f, 0) - kLamp),
                            .inner_angle = 16,
                            .outer_angle = 38,
                            .radiance = vec3(235, 218, 192)});
    add_directional_light(scene, {0.6f, -0.6f, -0.7f}, vec3(0.5f, 0.6f, 0.75f));
    scene.background = {0.2f, 0.24f, 0.3f};
    scene.camera = {.eye = {1.8f, 3.9f, 4.9f}, .target = {0, 1.15f, 0}, .vertical_fov = 47};
}

}  // namespace

Generator cloth_generator() {
    return {"cloth",
            "A cloth that falls on a ball and flies up again: triangles (about; default 92,000), "
            "duration (default 5.33 s)",
            {"triangles", "duration"},
            &add_cloth};
}

}  // namespace tl
