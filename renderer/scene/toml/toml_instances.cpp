// [[instances]] of scene files: one copy of an instanced mesh, or many, scattered or in rows.
#include <glm/gtc/matrix_transform.hpp>

#include "core/base/error.h"
#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/instance_rows.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/scene_items.h"
#include "renderer/scene/toml/toml_geometry.h"

namespace tl {
namespace {

constexpr std::int64_t kMostInstances = 100'000'000;
constexpr double kLeastScale = 1e-6, kGreatestScale = 1e6;

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

/// Throws UserError with the line of `key` where memory lacks room for `count` instances.
void require_memory_for(const TomlTable& table, const char* key, double count) {
    try {
        auto n = static_cast<std::uint64_t>(count);
        require_memory(n * sizeof(Instance), std::to_string(n) + " instances");
    } catch (const UserError& error) {
        table.fail(key, error.what());
    }
}

Scatter read_scatter(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[instances]] scatter", context.file);
    Scatter scatter;
    table.require("count");
    scatter.count = whole(table, "count", 1, 1, static_cast<double>(kMostInstances));
    require_memory_for(table, "count", static_cast<double>(scatter.count));
    scatter.size = table.spread("size", scatter.size, 1e-6, kLargestCoordinate);
    scatter.jitter = table.real("jitter", 1, 0, 1);
    scatter.turn = table.flag("turn", true);
    scatter.scale = table.spread("scale", scatter.scale, kLeastScale, kGreatestScale);
    scatter.seed = static_cast<std::uint64_t>(whole(table, "seed", 1, 0, 0x1p53));
    table.warn_about_unknown_keys(context.scene.warnings);
    return scatter;
}

/// Extent of a mesh along x; throws UserError where it has none.
float width_of(const Mesh& mesh, const TomlTable& table) {
    Box own = bounds_of_points(mesh.positions);
    if (!(own.hi.x > own.lo.x))
        table.fail("row", "mesh '" + mesh.name +
                              "' is flat along x, where a row has its neighbours; turn it");
    return own.hi.x - own.lo.x;
}

Row read_row(TomlContext& context, const toml::table& source, const Mesh& mesh,
             const TomlTable& instances) {
    TomlTable table(source, "[[instances]] row", context.file);
    Row row;
    table.require("length");
    row.length = table.spread("length", row.length, 1e-6, kLargestCoordinate);
    row.gap = table.real("gap", 0, 0, kLargestCoordinate);
    row.scale = table.range("scale", row.scale, kLeastScale, kGreatestScale);
    auto* scale = table.find("scale");
    row.one_scale = scale && (*scale->as_array())[0].is_number();
    row.rows = whole(table, "rows", 1, 1, static_cast<double>(kMostInstances));
    row.step = table.vector("step", row.step);
    if (row.rows > 1 && row.step == vec3(0))
        table.fail("rows",
                   "[[instances]] row needs 'step', from one row to the next: "
                   "step = [0, 0, 1]");
    row.fill = table.flag("fill", false);
    row.seed = static_cast<std::uint64_t>(whole(table, "seed", 1, 0, 0x1p53));
    double most = row.most_copies(width_of(mesh, instances));
    if (!(most <= static_cast<double>(kMostInstances)))
        table.fail("length", "up to " + number_text(most) + " copies; at most " +
                                 std::to_string(kMostInstances) + " can be made");
    require_memory_for(table, "length", most);
    table.warn_about_unknown_keys(context.scene.warnings);
    return row;
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

/// Adds the instance, or the copies of it that the table's key `scatter` or `row` asks for, with
/// materials from a list at the key "material".
void place_copies(TomlContext& context, TomlTable& table, const Instance& instance) {
    Scene& scene = context.scene;
    const std::size_t first = scene.instances.size();
    std::vector<std::int32_t> materials;
    if (auto* node = table.find("material"); node && node->is_array())
        for (auto& name : table.texts("material"))
            materials.push_back(find_material(context, table, name));
    auto* scatter = table.find_table(
        "scatter", "scatter wants a table: scatter = { count = 100, size = [10, 10] }");
    auto* row = table.find_table("row", "row wants a table: row = { length = 2 }");
    if (scatter && row) table.fail("row", "[[instances]] takes 'scatter' or 'row', not both");
    std::uint64_t seed = 0;
    if (scatter) {
        auto parameters = read_scatter(context, *scatter);
        seed = parameters.seed;
        scatter_instances(scene, instance, parameters);
    } else if (row) {
        auto parameters = read_row(context, *row, scene.meshes[instance.mesh], table);
        seed = parameters.seed;
        line_up_instances(scene, instance, parameters);
    } else {
        if (!materials.empty())
            table.fail("material",
                       "a list of materials is for 'scatter' and 'row', whose copies take one "
                       "each; give one name");
        scene.instances.push_back(instance);
    }
    if (!materials.empty()) vary_materials(scene, first, materials, seed);
}

}  // namespace

void read_instances(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[instances]]", context.file);
    Scene& scene = context.scene;
    std::size_t first = scene.instances.size();
    Instance instance;
    instance.mesh = read_mesh_name(context, table);
    const bool varies = table.find("material") && table.find("material")->is_array();
    instance.material = varies ? -1 : read_material_name(context, table, -1);
    instance.transform = read_placement(table, context.offset);
    if (auto fault = transform_fault(instance.transform); !fault.empty())
        table.fail(table.has("matrix") ? "matrix" : "scale", "[[instances]]: " + fault);
    if (auto* walk = table.find_table("walk", "walk wants a table: walk = { radius = 2 }"))
        instance.walk = read_walk(context, *walk);
    place_copies(context, table, instance);
    check_places(scene, first, table);
    table.warn_about_unknown_keys(scene.warnings);
}

}  // namespace tl
