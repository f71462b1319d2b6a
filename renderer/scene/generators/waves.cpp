// Waves: a height field with four travelling waves, under balls that it mirrors. Successive frames
// differ little: the easy case for refitting.
#include <algorithm>
#include <cmath>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

/// Adds a flat square of `n` by `n` cells.
Mesh sheet(std::uint32_t n, float size, std::int32_t material) {
    Mesh mesh = named_mesh("waves");
    std::uint64_t stride = n + 1;
    reserve(mesh, stride * stride, std::uint64_t{2} * n * n, true);
    for (std::uint32_t row = 0; row <= n; ++row)
        for (std::uint32_t column = 0; column <= n; ++column) {
            float x = static_cast<float>(column) / static_cast<float>(n) - 0.5f;
            float z = static_cast<float>(row) / static_cast<float>(n) - 0.5f;
            mesh.positions.emplace_back(size * x, 0, size * z);
            mesh.normals.emplace_back(0, 1, 0);
        }
    add_grid(mesh, n, n, [&](std::uint32_t, std::uint32_t) { return material; });
    return mesh;
}

void add_waves(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer("triangles", 500'000, 2, 200'000'000);
    float size = arguments.number("size", 10, 1e-3f, 1e6f);
    float height = arguments.number("height", 0.025f * size, 0, 1e6f);
    float wavelength = arguments.number("wavelength", 0.3f * size, 1e-3f, 1e6f);
    scene.duration = arguments.number("duration", 6, 1e-3f, 1e6f);
    auto water = add_glossy(scene, "water", {0.03f, 0.16f, 0.2f}, 0.12f, 200);
    auto chrome = add_material(scene, "chrome", MaterialKind::mirror, {0.85f, 0.87f, 0.9f});
    auto red = add_material(scene, "red", MaterialKind::phong, {0.7f, 0.12f, 0.06f});

    auto n = std::max<std::int64_t>(1, std::llround(std::sqrt(double(n_triangles) / 2)));
    Mesh mesh = sheet(static_cast<std::uint32_t>(n), size, water);
    mesh.animation.kind = AnimationKind::wave;
    mesh.animation.height = height;
    mesh.animation.wavelength = wavelength;
    scene.meshes.push_back(std::move(mesh));
    scene.spheres.push_back({vec3(-0.14f, 0.1f, -0.06f) * size, 0.1f * size, chrome});
    scene.spheres.push_back({vec3(0.13f, 0.06f, 0.04f) * size, 0.065f * size, red});
    scene.spheres.push_back({vec3(0.05f, 0.08f, -0.24f) * size, 0.08f * size, chrome});

    add_directional_light(scene, {0.35f, -0.5f, 0.8f}, vec3(3.2f, 3.0f, 2.6f));
    add_directional_light(scene, {-0.5f, -1, -0.3f}, vec3(0.8f, 0.95f, 1.2f));
    scene.background = {0.5f, 0.62f, 0.78f};
    scene.camera = {.eye = vec3(0.28f, 0.3f, 0.72f) * size,
                    .target = vec3(0, 0.01f, 0.02f) * size,
                    .vertical_fov = 42};
}

}  // namespace

Generator waves_generator() {
    return {"waves",
            "A sea in motion: triangles (about; default 500,000), size (default 10), height of the "
            "waves (default 0.025 size), wavelength (default 0.3 size), duration (default 6 s)",
            {"triangles", "size", "height", "wavelength", "duration"},
            &add_waves};
}

}  // namespace tl
