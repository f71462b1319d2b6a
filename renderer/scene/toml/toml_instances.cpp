// [[instances]] of scene files: one copy of an instanced mesh, or many scattered ones.
#include <glm/gtc/matrix_transform.hpp>

#include "core/base/error.h"
#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/toml/toml_geometry.h"

namespace tl {
namespace {

constexpr std::int64_t kMostInstances = 100'000'000;

std::uint32_t read_mesh_name(const TomlContext& context, TomlTable& table) {
    table.require("mesh");
    std::string name = table.text("mesh", "");
    auto found = context.instanced_meshes.find(name);
    if (found != context.instanced_meshes.end()) return found->second;
    std::string known = joined(std::views::keys(context.instanced_meshes));
    table.fail("mesh", "no instanced mesh '" + name + "'; " +
                           (known.empty() ? "" : "known: " + known + "; ") +
                           "mark a [[mesh]] or [[generate]] with 'name' and 'instanced = true'");
}

/// Reads the transform of an instance in a scene that is moved by `offset`.
mat4 read_placement(TomlTable& table, const glm::dvec3& offset) {
    if (!table.has("matrix")) return read_transform(table, offset).matrix();
    for (auto* key : {"scale", "rotate", "translate"})
        if (table.has(key))
            table.fail(key, "[[instances]] takes 'matrix' or '" + std::string(key) + "', not both");
    return mat4(glm::translate(glm::dmat4(1), -offset) * table.affine("matrix"));
}

/// A whole number, as a TOML integer or float.
std::int64_t whole(TomlTable& table, const char* key, double fallback, double minimum,
                   double maximum) {
    double value = table.number(key, fallback, minimum, maximum);
    auto integer = static_cast<std::int64_t>(value);
    if (static_cast<double>(integer) != value)
        table.fail(key, std::string(key) + " wants a whole number");
    return integer;
}

Scatter read_scatter(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[instances]] scatter", context.file);
    Scatter scatter;
    table.require("count");
    scatter.count = whole(table, "count", 1, 1, static_cast<double>(kMostInstances));
    try {
        require_memory(static_cast<std::uint64_t>(scatter.count) * sizeof(Instance),
                       std::to_string(scatter.count) + " instances");
    } catch (const UserError& error) {
        table.fail("count", error.what());
    }
    scatter.size = table.spread("size", scatter.size, 1e-6, kLargestCoordinate);
    scatter.jitter = table.real("jitter", 1, 0, 1);
    scatter.turn = table.flag("turn", true);
    scatter.scale = table.spread("scale", scatter.scale, 1e-6, 1e6);
    scatter.seed = static_cast<std::uint64_t>(whole(table, "seed", 1, 0, 0x1p53));
    table.warn_about_unknown_keys(context.scene.warnings);
    return scatter;
}

Walk read_walk(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[instances]] walk", context.file);
    Walk walk;
    table.require("radius");
    walk.radius = table.real("radius", 1, -1e6, 1e6);
    walk.speed = table.real("speed", 1, 0, 1e6);
    walk.stride = table.real("stride", 0.5f, 1e-3, 1e6);
    walk.bob = table.real("bob", 0, 0, 1e6);
    table.warn_about_unknown_keys(context.scene.warnings);
    return walk;
}

/// Refuses instances that are too far away, by the mesh's bounds.
void check_places(const Scene& scene, std::size_t first, TomlTable& table) {
    if (first == scene.instances.size()) return;
    Box own;
    for (auto& p : scene.meshes[scene.instances[first].mesh].positions) own.extend(p);
    for (std::size_t i = first; i < scene.instances.size() && !own.empty(); ++i)
        for (int corner = 0; corner < 8; ++corner)
            check_place(vec3(scene.instances[i].transform * vec4(corner_of_box(own, corner), 1)),
                        table, "mesh");
}

}  // namespace

void read_instances(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[instances]]", context.file);
    Scene& scene = context.scene;
    std::size_t first = scene.instances.size();
    Instance instance;
    instance.mesh = read_mesh_name(context, table);
    instance.material = read_material_name(context, table, -1);
    instance.transform = read_placement(table, context.offset);
    if (auto fault = transform_fault(instance.transform); !fault.empty())
        table.fail(table.has("matrix") ? "matrix" : "scale", "[[instances]]: " + fault);
    if (auto* walk = table.find_table("walk", "walk wants a table: walk = { radius = 2 }"))
        instance.walk = read_walk(context, *walk);
    if (auto* scatter = table.find_table(
            "scatter", "scatter wants a table: scatter = { count = 100, size = [10, 10] }"))
        scatter_instances(scene, instance, read_scatter(context, *scatter));
    else
        scene.instances.push_back(instance);
    check_places(scene, first, table);
    table.warn_about_unknown_keys(scene.warnings);
}

}  // namespace tl
