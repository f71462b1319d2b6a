// Dragon: one closed surface of equally large triangles with a body, limbs and thin horns, like
// scanned figures; substitutes Zeidan's (2011) scene of that name.
#include "renderer/scene/generators/figures.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

void add_dragon(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer<double>("triangles", 100'000, 20'000, 4'000'000);
    ImplicitSurface figure = dragon_figure(add_dragon_colors(scene));
    scene.meshes.push_back(figure.polygons("dragon", n_triangles));
    if (arguments.flag("ground", true)) add_dragon_ground(scene);
    scene.camera = {.eye = {-1.7f, 1.45f, 4.6f}, .target = {-0.02f, 0.66f, 0}, .vertical_fov = 38};
}

}  // namespace

Generator dragon_generator() {
    return {"dragon",
            "A serpentine dragon, one closed surface of even triangles: triangles (about; default "
            "100,000), ground (default true)",
            {"triangles", "ground"},
            &add_dragon};
}

}  // namespace tl
