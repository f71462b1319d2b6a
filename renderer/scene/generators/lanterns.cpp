// Lanterns by night: a town of blocks whose streets are lit by thousands of small paper lanterns,
// each of eight emissive triangles. It tests the sampling of many lights, of which few contribute
// at any shading point.
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

constexpr float kStreet = 2, kBlock = 3;  // widths, m

/// A lantern about `center`, an octahedron that is taller than wide.
void add_lantern(Mesh& mesh, vec3 center, float size, std::int32_t material) {
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (vec3 way : {vec3(1, 0, 0), vec3(0, 0, 1), vec3(-1, 0, 0), vec3(0, 0, -1)})
        mesh.positions.push_back(center + size * way);
    mesh.positions.push_back(center + vec3(0, 1.4f * size, 0));
    mesh.positions.push_back(center - vec3(0, 1.4f * size, 0));
    for (std::uint32_t k = 0; k < 4; ++k) {
        std::uint32_t a = first + k, b = first + (k + 1) % 4;
        add_triangle(mesh, b, a, first + 4, material);
        add_triangle(mesh, a, b, first + 5, material);
    }
}

void add_lanterns(Scene& scene, const GeneratorArguments& arguments) {
    auto n_lights = arguments.integer<std::uint32_t>("lights", 100'000, 8, 100'000'000);
    auto seed = arguments.integer<std::uint64_t>("seed", 1, 0, 1LL << 53);
    std::uint32_t n_lanterns = (n_lights + 7) / 8;
    // About eight lanterns per block, so that the brightness of streets does not depend on their
    // number.
    int n_blocks = std::max(2, static_cast<int>(std::ceil(std::sqrt(n_lanterns / 8.0))));
    float pitch = kStreet + kBlock, half = pitch * static_cast<float>(n_blocks) / 2;

    auto even = add_material(scene, "light paving", MaterialKind::diffuse, {0.5f, 0.47f, 0.43f});
    auto wall = add_material(scene, "plaster", MaterialKind::diffuse, {0.62f, 0.55f, 0.46f});
    std::int32_t glow[4];
    const vec3 colors[4] = {{13, 5.5f, 1.8f}, {11, 7, 3.2f}, {12, 2.2f, 1.4f}, {4, 7, 11}};
    for (int k = 0; k < 4; ++k) {
        glow[k] = add_material(scene, "paper " + std::to_string(k + 1), MaterialKind::diffuse,
                               vec3(0.7f));
        scene.materials[static_cast<std::size_t>(glow[k])].emission = colors[k];
    }
    Mesh town = named_mesh("town"), lanterns = named_mesh("lanterns");
    auto blocks = static_cast<std::uint64_t>(n_blocks) * static_cast<std::uint64_t>(n_blocks);
    reserve(town, 8 * blocks, 12 * blocks, false);
    reserve(lanterns, std::uint64_t{6} * n_lanterns, std::uint64_t{8} * n_lanterns, false);
    for (int i = 0; i < n_blocks; ++i)
        for (int j = 0; j < n_blocks; ++j) {
            RandomStream random(seed, static_cast<std::uint32_t>(i * n_blocks + j), 0);
            vec3 corner(pitch * static_cast<float>(i) - half, 0,
                        pitch * static_cast<float>(j) - half);
            add_box(town, corner, corner + vec3(kBlock, 1.5f + 3 * random.next(), kBlock), wall);
        }
    for (std::uint32_t k = 0; k < n_lanterns; ++k) {
        RandomStream random(seed, k, 1);
        // Along the middle of a street, in either direction.
        float along = (2 * random.next() - 1) * half;
        auto street = std::floor(random.next() * static_cast<float>(n_blocks));
        float across = pitch * (street + 1) - half - kStreet / 2 + 0.7f * (random.next() - 0.5f);
        bool turned = random.next() < 0.5f;
        vec3 center(turned ? along : across, 2 + 1.2f * random.next(), turned ? across : along);
        add_lantern(lanterns, center, 0.1f + 0.08f * random.next(), glow[random.next_uint() % 4]);
    }
    scene.meshes.push_back(std::move(town));
    scene.meshes.push_back(std::move(lanterns));
    add_ground(scene, "paving", half + pitch, 0, even);
    add_directional_light(scene, {-0.4f, -1, -0.3f}, vec3(0.012f, 0.016f, 0.03f));
    scene.background = vec3(0.006f, 0.01f, 0.025f);
    float middle = pitch * std::floor(static_cast<float>(n_blocks) / 2) - half - kStreet / 2;
    float back = std::min(half, 18.0f);
    scene.camera = {
        .eye = {middle + 0.3f, 3.6f, back}, .target = {middle, 1.9f, back - 9}, .vertical_fov = 55};
}

}  // namespace

Generator lanterns_generator() {
    return {"lanterns",
            "A town by night that small lanterns light: lights, the number of their emissive "
            "triangles (default 100,000), seed (default 1)",
            {"lights", "seed"},
            &add_lanterns};
}

}  // namespace tl
