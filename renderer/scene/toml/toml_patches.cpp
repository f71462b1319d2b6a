// The table [[patches]] of scene files.
#include <utility>

#include "renderer/scene/loaders/model_files.h"
#include "renderer/scene/loaders/patch_files.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/toml/toml_geometry.h"

namespace tl {
namespace {

/// Reads the patches of a file as one set, which is not yet part of the scene.
PatchSet read_file(TomlContext& context, TomlTable& table) {
    auto [path, ending] = read_file_name(context, table);
    if (!is_patch_extension(ending))
        table.fail("file", "'" + table.text("file", "") +
                               "' is not a file of patches that can be read; known: " +
                               joined(patch_extensions()));
    add_patches(context.scene, path, ending, context.reading);
    PatchSet set = std::move(context.scene.patches.back());
    context.scene.patches.pop_back();
    return set;
}

/// Reads patches given in the scene file. Like a model, the set may be recentred, by the value that
/// Scene::offset is set to.
PatchSet read_inline(Scene& scene, TomlTable& table) {
    constexpr std::size_t kPoints = 16;
    PatchSet set;
    table.require("points");
    set.points = recentred(table.vectors<glm::dvec3>("points"), scene);
    std::size_t n = set.points.size();
    if (n == 0 || n % kPoints != 0)
        table.fail("points", "[[patches]] has " + std::to_string(n) +
                                 " points; a patch has 16, row after row");
    if (table.has("weights")) {
        auto* weights = table.find("weights")->as_array();
        if (!weights || weights->size() != n)
            table.fail("weights", "'weights' wants one number for each of the " +
                                      std::to_string(n) + " points");
        for (auto& node : *weights) {
            auto value = node.value<double>();
            if (!value || !(*value >= 1e-6 && *value <= 1e6))
                table.fail("weights", "a weight is not a number from 1e-6 to 1e6");
            set.weights.push_back(static_cast<float>(*value));
        }
    }
    set.material_of_patch.assign(n / kPoints, 0);
    set.corner_uvs = table.vectors<vec2>("uvs");
    if (!set.corner_uvs.empty() && set.corner_uvs.size() != 4 * set.size())
        table.fail("uvs",
                   "'uvs' wants four corners for each patch: of (u, v) = (0, 0), (0, 1), "
                   "(1, 0) and (1, 1)");
    return set;
}

}  // namespace

void read_patches(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[patches]]", context.file);
    Scene& scene = context.scene;
    SceneMark mark(scene);
    bool from_file = table.find("file") != nullptr;
    std::int32_t material = read_material_name(context, table, 0);
    PatchSet set = from_file ? read_file(context, table) : read_inline(scene, table);
    set.name = table.text("name", set.name);
    set.material_of_patch.assign(set.size(), material);
    scene.patches.push_back(std::move(set));
    glm::dvec3 own_offset = std::exchange(scene.offset, glm::dvec3(0));
    apply(read_transform(table, context.offset), scene, mark, false, own_offset);
    check_places(scene, mark, table, from_file ? "file" : "points");
    read_animation(context, table, mark, context.offset);
    table.warn_about_unknown_keys(scene.warnings);
}

}  // namespace tl
