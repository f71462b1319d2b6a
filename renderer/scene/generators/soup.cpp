// Triangle soup: triangles of random position, direction and size in the unit cube. It has no
// coherence, which makes it the hard case for tree builders.
#include <array>

#include "core/base/random.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

void add_soup(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer<std::uint32_t>("triangles", 100'000, 1, 200'000'000);
    float size = arguments.number("size", 0.02f, 1e-6f, 1);
    auto seed = arguments.integer<std::uint64_t>("seed", 1, 0, 1LL << 53);
    const std::array materials{
        add_material(scene, "red", MaterialKind::diffuse, {0.75f, 0.25f, 0.2f}),
        add_material(scene, "yellow", MaterialKind::diffuse, {0.8f, 0.65f, 0.25f}),
        add_material(scene, "teal", MaterialKind::diffuse, {0.2f, 0.55f, 0.55f}),
        add_material(scene, "white", MaterialKind::diffuse, {0.8f, 0.8f, 0.8f})};

    Mesh mesh = named_mesh("soup");
    reserve(mesh, std::uint64_t{3} * n_triangles, n_triangles, false);
    for (std::uint32_t t = 0; t < n_triangles; ++t) {
        // Each triangle has its own ten random numbers; corners stay in the cube.
        RandomStream random(seed, t, 0);
        auto point = [&] {
            float x = random.next(), y = random.next();
            return vec3(x, y, random.next());
        };
        vec3 corner = point() * (1 - size);
        for (int k = 0; k < 3; ++k) mesh.positions.push_back(corner + point() * size);
        add_triangle(mesh, 3 * t, 3 * t + 1, 3 * t + 2,
                     materials[random.next_uint() % materials.size()]);
    }
    scene.meshes.push_back(std::move(mesh));
    add_directional_light(scene, {-0.5f, -1, -0.7f}, vec3(2.6f));
    add_directional_light(scene, {1, 0.2f, -0.6f}, vec3(0.8f));
    scene.background = vec3(0.05f);
    scene.camera = {.eye = {1.25f, 1.05f, 2.3f}, .target = vec3(0.5f), .vertical_fov = 40};
}

}  // namespace

Generator soup_generator() {
    return {"soup",
            "Random triangles in the unit cube: triangles (default 100,000), size of each (default "
            "0.02), seed (default 1)",
            {"triangles", "size", "seed"},
            &add_soup};
}

}  // namespace tl
