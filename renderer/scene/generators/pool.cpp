// A pool: water in motion over tiles, in the sun. Its floor shows caustics by light that the water
// refracts. Next-event estimation along paths from the camera cannot find them.
#include <algorithm>
#include <cmath>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

/// Adds a wall or floor of tiles: along u and v, which face the side of cross(u, v).
void add_tiled(Mesh& mesh, vec3 corner, vec3 u, vec3 v, int n_u, int n_v, std::int32_t even,
               std::int32_t odd) {
    for (int i = 0; i < n_u; ++i)
        for (int j = 0; j < n_v; ++j) {
            vec3 p = corner + u * (float(i) / float(n_u)) + v * (float(j) / float(n_v));
            vec3 a = u / float(n_u), b = v / float(n_v);
            add_quad(mesh, p, p + a, p + a + b, p + b, (i + j) % 2 ? odd : even);
        }
}

void add_pool(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer("triangles", 80'000, 2, 50'000'000);
    float size = arguments.number("size", 6, 1e-3f, 1e6f);
    float depth = arguments.number("depth", 0.25f * size, 1e-3f, 1e6f);
    float height = arguments.number("height", 0.008f * size, 0, 1e6f);
    scene.duration = arguments.number("duration", 8, 1e-3f, 1e6f);
    auto pale = add_material(scene, "pale tiles", MaterialKind::diffuse, {0.72f, 0.82f, 0.84f});
    auto blue = add_material(scene, "blue tiles", MaterialKind::diffuse, {0.3f, 0.55f, 0.68f});
    auto stone = add_material(scene, "stone", MaterialKind::diffuse, {0.7f, 0.66f, 0.6f});
    auto red = add_material(scene, "red ball", MaterialKind::diffuse, {0.75f, 0.12f, 0.06f});
    auto water = add_material(scene, "water", MaterialKind::dielectric, vec3(1));
    scene.materials[std::size_t(water)].ior = 1.33f;
    scene.materials[std::size_t(water)].absorption = vec3(0.35f, 0.06f, 0.04f) * (1.5f / size);

    // Walls end a little above the water, and the sheet extends into them.
    float half = size / 2, rim = 0.06f * size, reach = half * 1.01f;
    Mesh basin = named_mesh("basin");
    int n_down = std::max(1, int(std::lround((depth + rim) / size * 12)));
    vec3 down(0, -depth, 0), up(0, depth + rim, 0), x(size, 0, 0), z(0, 0, size);
    vec3 corner = vec3(-half, 0, -half) + down;
    add_tiled(basin, corner, z, x, 12, 12, pale, blue);
    add_tiled(basin, corner, x, up, 12, n_down, pale, blue);
    add_tiled(basin, corner + x, z, up, 12, n_down, pale, blue);
    add_tiled(basin, corner + x + z, -x, up, 12, n_down, pale, blue);
    add_tiled(basin, corner + z, -z, up, 12, n_down, pale, blue);
    float edge = half + 0.5f * size;
    add_box(basin, {-edge, -depth, -edge}, {edge, rim, -half - 1e-4f * size}, stone);
    add_box(basin, {-edge, -depth, half + 1e-4f * size}, {edge, rim, edge}, stone);
    add_box(basin, {-edge, -depth, -half}, {-half - 1e-4f * size, rim, half}, stone);
    add_box(basin, {half + 1e-4f * size, -depth, -half}, {edge, rim, half}, stone);
    scene.meshes.push_back(std::move(basin));

    auto n = static_cast<std::uint32_t>(
        std::max<std::int64_t>(1, std::llround(std::sqrt(double(n_triangles) / 2))));
    Mesh surface = named_mesh("water");
    std::uint64_t stride = std::uint64_t(n) + 1;
    reserve(surface, stride * stride, std::uint64_t{2} * n * n, true);
    for (std::uint32_t row = 0; row <= n; ++row)
        for (std::uint32_t column = 0; column <= n; ++column) {
            float u = 2 * float(column) / float(n) - 1, v = 2 * float(row) / float(n) - 1;
            surface.positions.emplace_back(reach * u, 0, reach * v);
            surface.normals.emplace_back(0, 1, 0);
        }
    add_grid(surface, n, n, [&](std::uint32_t, std::uint32_t) { return water; });
    surface.animation.kind = AnimationKind::wave;
    surface.animation.height = height;
    surface.animation.wavelength = 0.3f * size;
    scene.meshes.push_back(std::move(surface));
    float ball = 0.07f * size;
    scene.spheres.push_back({{0.12f * size, ball - depth, -0.05f * size}, ball, red});
    scene.spheres.push_back({{-0.16f * size, 0.02f * size, 0.1f * size}, ball, red});

    add_directional_light(scene, {0.35f, -0.85f, -0.4f}, vec3(3.6f, 3.3f, 2.9f));
    scene.background = {0.25f, 0.36f, 0.55f};
    scene.camera = {.eye = vec3(0.5f, 0.55f, 0.85f) * size,
                    .target = vec3(0, -0.12f, 0.02f) * size,
                    .vertical_fov = 45};
}

}  // namespace

Generator pool_generator() {
    return {"pool",
            "Water in motion over tiles: triangles (of the water, about; default 80,000), size "
            "(default 6), depth (default 0.25 size), height of the waves (default 0.008 size), "
            "duration (default 8 s)",
            {"triangles", "size", "depth", "height", "duration"},
            &add_pool};
}

}  // namespace tl
