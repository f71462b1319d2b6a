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

/// Materials of the blocks where they are houses, not boxes.
struct HouseMaterials {
    std::int32_t walls[4], tiles, window;
};

HouseMaterials add_house_materials(Scene& scene, std::int32_t plaster) {
    auto diffuse = [&](const char* name, vec3 color) {
        return add_material(scene, name, MaterialKind::diffuse, color);
    };
    return {{plaster, diffuse("ochre", {0.6f, 0.44f, 0.24f}), diffuse("rose", {0.58f, 0.36f, 0.3f}),
             diffuse("lime", {0.66f, 0.64f, 0.58f})},
            diffuse("roof tiles", {0.2f, 0.1f, 0.075f}),
            add_glossy(scene, "window", {0.03f, 0.035f, 0.05f}, 0.35f, 300)};
}

/// Adds a gable roof with eaves on a block whose upper corners are `low` and `high`.
void add_roof(Mesh& mesh, vec3 low, vec3 high, bool along_x, std::int32_t tiles,
              std::int32_t wall) {
    constexpr float kRise = 0.95f, kEaves = 0.16f;
    // Coordinates along the ridge and across it, from -1 to 1, and height.
    vec3 middle = 0.5f * (low + high), half = 0.5f * (high - low);
    auto at = [&](float along, float across, float up, float eaves) {
        vec3 p = along_x ? vec3(along * (half.x + eaves), 0, across * (half.z + eaves))
                         : vec3(across * (half.x + eaves), 0, -along * (half.z + eaves));
        return middle + p + vec3(0, up, 0);
    };
    float sunk = -kRise * kEaves / (along_x ? half.z : half.x);
    for (float side : {1.0f, -1.0f})
        add_quad(mesh, at(-side, side, sunk, kEaves), at(side, side, sunk, kEaves),
                 at(side, 0, kRise, kEaves), at(-side, 0, kRise, kEaves), tiles);
    for (float end : {1.0f, -1.0f}) {
        auto first = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.insert(mesh.positions.end(),
                              {at(end, end, 0, 0), at(end, -end, 0, 0), at(end, 0, kRise, 0)});
        add_triangle(mesh, first, first + 1, first + 2, wall);
    }
}

/// Adds two rows of windows a floor to the four walls of a block.
void add_windows(Mesh& mesh, vec3 low, float height, std::int32_t window) {
    constexpr float kWide = 0.5f, kTall = 0.75f, kFloor = 1.3f, kAhead = 0.012f;
    for (int wall = 0; wall < 4; ++wall) {
        vec3 along = wall % 2 == 0 ? vec3(1, 0, 0) : vec3(0, 0, 1);
        vec3 out = wall == 0   ? vec3(0, 0, -1)
                   : wall == 1 ? vec3(1, 0, 0)
                   : wall == 2 ? vec3(0, 0, 1)
                               : vec3(-1, 0, 0);
        vec3 corner = low + (wall == 1 || wall == 2 ? kBlock * out : vec3(0)) + kAhead * out;
        for (float y = 0.6f; y + kTall + 0.2f < height; y += kFloor)
            for (float u : {0.6f, kBlock - 0.6f - kWide}) {
                vec3 p = corner + u * along + vec3(0, y, 0), right = kWide * along;
                const vec3 up(0, kTall, 0);
                bool mirrored = glm::dot(glm::cross(along, vec3(0, 1, 0)), out) < 0;
                if (mirrored)
                    add_quad(mesh, p + right, p, p + up, p + right + up, window);
                else
                    add_quad(mesh, p, p + right, p + right + up, p + up, window);
            }
    }
}

void add_lanterns(Scene& scene, const GeneratorArguments& arguments) {
    auto n_lights = arguments.integer<std::uint32_t>("lights", 100'000, 8, 100'000'000);
    auto seed = arguments.integer<std::uint64_t>("seed", 1, 0, 1LL << 53);
    bool houses = arguments.flag("houses", false);
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
    Mesh town = named_mesh("town"), roofs = named_mesh("roofs and windows"),
         lanterns = named_mesh("lanterns");
    HouseMaterials house{};
    if (houses) house = add_house_materials(scene, wall);
    auto blocks = static_cast<std::uint64_t>(n_blocks) * static_cast<std::uint64_t>(n_blocks);
    reserve(town, 8 * blocks, 12 * blocks, false);
    reserve(lanterns, std::uint64_t{6} * n_lanterns, std::uint64_t{8} * n_lanterns, false);
    for (int i = 0; i < n_blocks; ++i)
        for (int j = 0; j < n_blocks; ++j) {
            RandomStream random(seed, static_cast<std::uint32_t>(i * n_blocks + j), 0);
            vec3 corner(pitch * static_cast<float>(i) - half, 0,
                        pitch * static_cast<float>(j) - half);
            float height = 1.5f + 3 * random.next();
            auto own = houses ? house.walls[random.next_uint() % 4] : wall;
            add_box(town, corner, corner + vec3(kBlock, height, kBlock), own);
            if (!houses) continue;
            vec3 top = corner + vec3(0, height, 0);
            add_roof(roofs, top, top + vec3(kBlock, 0, kBlock), random.next() < 0.5f, house.tiles,
                     own);
            add_windows(roofs, corner, height, house.window);
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
    if (houses) scene.meshes.push_back(std::move(roofs));
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
            "triangles (default 100,000), houses (default false: roofs and windows on the blocks), "
            "seed (default 1)",
            {"lights", "houses", "seed"},
            &add_lanterns};
}

}  // namespace tl
