// Dragon: one closed surface of even triangles with a body, limbs and thin horns, as scanned
// figures are; for Zeidan's (2011) scene of that name.
#include "renderer/scene/figures.h"
#include "renderer/scene/generator_tools.h"

namespace tl {
namespace {

void add(Scene& scene, const GeneratorParameters& parameters) {
    GeneratorArguments arguments("dragon", parameters);
    auto n_triangles = arguments.integer("triangles", 100'000, 20'000, 20'000'000);
    DragonColors colors = add_dragon_colors(scene);
    auto stone = add_material(scene, "stone", MaterialKind::diffuse, {0.42f, 0.4f, 0.37f});
    constexpr std::size_t kGround = 2;
    scene.meshes.push_back(dragon_figure(colors).polygons(
        "dragon", static_cast<double>(n_triangles) - static_cast<double>(kGround)));
    Mesh ground = named_mesh("ground");
    add_quad(ground, {-40, 0, 40}, {40, 0, 40}, {40, 0, -40}, {-40, 0, -40}, stone);
    scene.meshes.push_back(std::move(ground));

    add_directional_light(scene, {-0.45f, -1, -0.75f}, vec3(2.9f, 2.7f, 2.4f));
    add_directional_light(scene, {0.9f, -0.45f, -0.1f}, vec3(0.55f, 0.65f, 0.85f));
    scene.background = {0.3f, 0.36f, 0.45f};
    scene.camera = {.eye = {-1.7f, 1.45f, 4.6f},
                    .target = {-0.02f, 0.66f, 0},
                    .up = {0, 1, 0},
                    .vertical_fov = 38};
}

}  // namespace

Generator dragon_generator() {
    return {"dragon",
            "A serpentine dragon, one closed surface of even triangles: triangles (about; default "
            "100,000)",
            {"triangles"},
            &add};
}

}  // namespace tl
