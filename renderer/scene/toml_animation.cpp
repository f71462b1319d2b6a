// The key "animation" of [[mesh]] and [[generate]].
#include "renderer/scene/limits.h"
#include "renderer/scene/toml_geometry.h"

namespace tl {
namespace {

/// Lengths that are not given follow from the size of what moves.
Animation read_motion(TomlTable& table, const Bounds& bounds) {
    Animation animation;
    float size = bounds.empty() ? 1 : glm::length(bounds.hi - bounds.lo);
    auto number = [&](const char* key, float fallback, double minimum, double maximum) {
        return static_cast<float>(table.number(key, double(fallback), minimum, maximum));
    };
    table.require("kind");
    std::string kind = table.text("kind", "");
    if (kind == "explode") {
        animation.kind = AnimationKind::explode;
        vec3 middle = bounds.empty() ? vec3(0) : 0.5f * (bounds.lo + bounds.hi);
        animation.center = table.vector("center", middle);
        animation.distance = number("distance", 0.5f * size, 0, kLargestCoordinate);
        animation.turns = number("turns", 1, -1000, 1000);
    } else if (kind == "wave") {
        animation.kind = AnimationKind::wave;
        animation.height = number("height", 0.02f * size, 0, kLargestCoordinate);
        animation.wavelength = number("wavelength", 0.25f * size, 1e-9, kLargestCoordinate);
        vec3 lift = table.vector("lift", animation.lift);
        if (!(glm::length(lift) > 0)) table.fail("lift", "a direction of no length");
        animation.lift = glm::normalize(lift);
    } else {
        table.fail("kind", "unknown kind of animation '" + kind + "'; known: explode, wave");
    }
    return animation;
}

}  // namespace

void read_animation(TomlContext& context, TomlTable& table, std::size_t first_mesh) {
    auto* node = table.find("animation");
    if (!node) return;
    if (!node->is_table())
        table.fail("animation", "'animation' wants a table: { kind = \"explode\" }");
    auto& meshes = context.scene.meshes;
    if (meshes.size() == first_mesh)
        table.fail("animation", "there is no mesh to move; spheres stand still");
    Bounds bounds;
    for (std::size_t i = first_mesh; i < meshes.size(); ++i)
        for (auto& position : meshes[i].positions) bounds.extend(position);
    TomlTable keys(*node->as_table(), "animation", context.file);
    Animation animation = read_motion(keys, bounds);
    for (std::size_t i = first_mesh; i < meshes.size(); ++i) meshes[i].animation = animation;
    keys.warn_about_unknown_keys(context.scene.warnings);
}

}  // namespace tl
