#include "renderer/scene/toml/toml_points.h"

#include <span>

#include "core/base/text.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "renderer/scene/splats/close_surface.h"
#include "renderer/scene/splats/grow_splats.h"

namespace tl {
namespace {

enum class PointShape { splats, spheres };

void show_as_spheres(TomlContext& context, const toml::source_region& asked,
                     const SceneMark& mark) {
    Scene& scene = context.scene;
    std::vector<Sphere> spheres;
    for (auto& splat : std::span(scene.splats).subspan(mark.splats))
        spheres.push_back({.center = splat.center,
                           .material = splat.material,
                           .color = splat.color,
                           .emission = splat.emission});
    if (spheres.empty()) return;
    float radius = radius_of_points(spheres);
    for (auto& sphere : spheres) sphere.radius = radius;
    scene.splats.resize(mark.splats);
    scene.spheres.insert(scene.spheres.end(), spheres.begin(), spheres.end());
    scene.warnings.push_back(at(context.file, asked,
                                "its splats are " + std::to_string(spheres.size()) +
                                    " spheres of radius " + number_text(radius)));
}

}  // namespace

void read_emission_of_points(TomlContext& context, TomlTable& table, const SceneMark& mark) {
    if (!table.has("emission")) return;
    auto splats = std::span(context.scene.splats).subspan(mark.splats);
    auto spheres = std::span(context.scene.spheres).subspan(mark.spheres);
    if (splats.empty() && spheres.empty())
        table.fail("emission",
                   "is for points; a mesh emits by its material, a [[material]] with 'emission'");
    vec3 emission = table.spread("emission", vec3(0), 0, double{kLargestEmission});
    for (auto& splat : splats) splat.emission = emission;
    for (auto& sphere : spheres) sphere.emission = emission;
}

void show_points(TomlContext& context, TomlTable& table, const SceneMark& mark) {
    constexpr Choices<PointShape, 2> kShapes{{"splats", PointShape::splats},
                                             {"spheres", PointShape::spheres}};
    Scene& scene = context.scene;
    auto shape = table.choice("points", "shape of points", kShapes);
    float error = table.real("splat-error", 0, 0, kLargestCoordinate);
    if (shape == PointShape::spheres) {
        if (error > 0) table.fail("splat-error", "there are no splats, since points are spheres");
        return show_as_spheres(context, table.find("points")->source(), mark);
    }
    if (scene.splats.size() == mark.splats) {
        for (auto* key : {"points", "splat-error"})
            if (table.has(key))
                scene.warnings.push_back(at(context.file, table.find(key)->source(),
                                            "the file has no points with normals, so there are no "
                                            "splats"));
        return;
    }
    if (!(error > 0)) return;
    auto grown = grow_splats(std::span(scene.splats).subspan(mark.splats), {.error = error});
    scene.splats.resize(mark.splats);
    scene.splats.insert(scene.splats.end(), grown.begin(), grown.end());
    scene.warnings.push_back(
        at(context.file, table.find("splat-error")->source(),
           "its splats become " + std::to_string(grown.size()) + " of " + words_of_radii(grown)));
}

}  // namespace tl
