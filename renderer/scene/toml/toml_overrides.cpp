#include "renderer/scene/toml/toml_overrides.h"

#include <algorithm>

#include "core/base/error.h"
#include "renderer/scene/surface_layers.h"
#include "renderer/scene/toml/toml_geometry.h"
#include "renderer/scene/toml/toml_materials.h"

namespace tl {
namespace {

/// Index in `list` of the element that `key` names: by a number from 0, or by a name that only it
/// has.
template <class List>
std::uint32_t read_index(TomlTable& table, const char* key, const List& list) {
    auto& node = *table.find(key);
    if (auto index = node.template value_exact<std::int64_t>()) {
        if (*index >= 0 && *index < static_cast<std::int64_t>(list.size()))
            return static_cast<std::uint32_t>(*index);
        table.fail(key, "there is no " + std::string(key) + " " + std::to_string(*index) +
                            "; the scene has " + std::to_string(list.size()) + ", from 0");
    }
    if constexpr (requires { list[0].name; }) {
        std::string name = table.text(key, "");
        auto at = std::ranges::find(list, name, [](auto& one) { return one.name; });
        if (at == list.end())
            table.fail(key, "there is no " + std::string(key) + " '" + name + "' in the scene");
        if (std::ranges::count(list, name, [](auto& one) { return one.name; }) > 1)
            table.fail(key, "several are called '" + name + "': name one by its number, from 0");
        return static_cast<std::uint32_t>(at - list.begin());
    }
    table.fail(key, std::string(key) + " wants a number, from 0");
}

Material read_material_change(TomlTable& table, const Material& before) {
    auto* preset = read_preset(table);
    Material m = preset ? with_preset(before, before, *preset) : before;
    bool layered = m.layers.has_value();
    SurfaceLayers layers = m.layers.value_or(SurfaceLayers{.base = m.diffuse});
    if (table.has("kind")) {
        auto kind = table.choice("kind", "kind of material", kMaterialKinds);
        layered = !kind;
        if (kind) m = with_kind(before, m, *kind);
    }
    if (layered) {
        read_layer_keys(table, layers);
        float ior = table.real("ior", m.ior, 1, 10);
        if (table.has("ior")) layers.reflectance = vec3(reflectance_of_index(ior));
        m = with_layers(before, m, layers, ior);
    } else {
        read_plain_material(table, m);
    }
    m.emission = table.spread("emission", m.emission, 0, kBrightest);
    m.alpha_cutoff = table.real("alpha-cutoff", m.alpha_cutoff, 0, 1);
    m.normal_scale = table.real("normal-scale", m.normal_scale, -100, 100);
    bool textures = table.flag("textures", preset == nullptr);
    return with_textures(before, m, textures);
}

Light read_light_change(TomlTable& table, const Light& before, const glm::dvec3& offset) {
    Light light = before;
    bool is_spot = light.kind == LightKind::spot, is_far = light.kind == LightKind::directional;
    if (!is_far) light.position = table.place("position", light.position, offset);
    if ((is_far || is_spot) && table.has("direction")) {
        vec3 given = table.vector("direction", light.direction);
        if (!(glm::length(given) > 0)) table.fail("direction", "a direction of no length");
        // A vector of unit length up to the rounding of floats stays unchanged.
        constexpr float kUnit = 1e-6f;
        bool is_unit = std::abs(glm::length(given) - 1) <= kUnit;
        light.direction = is_unit ? given : glm::normalize(given);
    }
    if (is_spot) {
        light.outer_angle = table.real("outer-angle", light.outer_angle, 0.1, 90);
        light.inner_angle = table.real("inner-angle", light.inner_angle, 0, 90);
        if (light.inner_angle > light.outer_angle)
            table.fail("inner-angle", "'inner-angle' is larger than 'outer-angle'; swap them");
    }
    if (light.kind == LightKind::sphere)
        light.radius = table.real("radius", light.radius, 1e-9, kLargestCoordinate);
    if (light.kind == LightKind::rectangle) {
        light.edge_u = table.vector("edge-u", light.edge_u);
        light.edge_v = table.vector("edge-v", light.edge_v);
        if (!(glm::length(glm::cross(light.edge_u, light.edge_v)) > 0))
            table.fail("edge-u", "edge-u and edge-v span no rectangle");
    }
    light.radiance = table.spread(brightness_key(light.kind), light.radiance, 0, kBrightest);
    return light;
}

ObjectId read_object(TomlTable& table, ObjectKind kind, const Scene& scene) {
    auto* key = name_of(kind);
    switch (kind) {
        case ObjectKind::mesh:
            return {kind, read_index(table, key, scene.meshes)};
        case ObjectKind::patches:
            return {kind, read_index(table, key, scene.patches)};
        case ObjectKind::sphere:
            return {kind, read_index(table, key, scene.spheres)};
        case ObjectKind::instance:
            break;
    }
    return {kind, read_index(table, key, scene.instances)};
}

/// Adds one change to those of its kind.
template <class Changes, class Id, class Change>
void add_change(const TomlTable& table, const char* key, Changes& changes, const Id& id,
                Change change) {
    if (!changes.emplace(id, std::move(change)).second)
        table.fail(key, std::string("a second [[override]] of the same ") + key +
                            "; write all of its changes into one");
}

/// Adds the change of one table to those of the same file; returns the key that names the changed
/// element.
const char* read_change(TomlTable& table, const EditedScene& edited, SceneEdits& edits) {
    auto& scene = *edited.scene();
    constexpr const char* kKeys[] = {"material", "light", "mesh", "patches", "sphere", "instance"};
    if (std::ranges::count_if(kKeys, [&](auto* key) { return table.has(key); }) != 1)
        table.fail("override",
                   "[[override]] names one of material, light, mesh, patches, sphere "
                   "and instance");
    if (table.has("material")) {
        auto index = read_index(table, "material", scene.materials);
        add_change(table, "material", edits.materials, index,
                   read_material_change(table, edited.material_before(index)));
        return "material";
    }
    if (table.has("light")) {
        auto index = read_index(table, "light", scene.lights);
        add_change(table, "light", edits.lights, index,
                   read_light_change(table, edited.light_before(index), scene.offset));
        return "light";
    }
    auto kind = ObjectKind::instance;
    for (auto other : {ObjectKind::mesh, ObjectKind::patches, ObjectKind::sphere})
        if (table.has(name_of(other))) kind = other;
    auto id = read_object(table, kind, scene);
    add_change(table, name_of(kind), edits.objects, id, read_transform(table));
    return name_of(kind);
}

}  // namespace

const char* brightness_key(LightKind kind) {
    if (kind == LightKind::directional) return "irradiance";
    return has_surface(kind) ? "radiance" : "intensity";
}

void read_overrides(TomlTable& root, const std::string& file, EditedScene& edited) {
    SceneEdits edits = edited.edits();
    root.for_each_table("override", [&](const toml::table& source) {
        TomlTable table(source, "[[override]]", file);
        auto* key = read_change(table, edited, edits);
        try {
            edited.check(edits);
        } catch (const UserError& error) {
            table.fail(key, error.what());
        }
        table.warn_about_unknown_keys(edited.scene()->warnings);
    });
    (void)edited.apply(edits);
}

Bookmarks read_bookmarks(TomlTable& root, const std::string& file, Scene& scene) {
    Bookmarks bookmarks;
    root.for_each_table("bookmark", [&](const toml::table& source) {
        TomlTable table(source, "[[bookmark]]", file);
        for (auto* key : {"number", "eye", "target"}) table.require(key);
        Bookmark bookmark{.camera = scene.camera};
        double number = table.number("number", 1, 1, Bookmark::kMost);
        bookmark.number = static_cast<int>(number);
        if (static_cast<double>(bookmark.number) != number)
            table.fail("number", "[[bookmark]] number wants a whole number");
        if (find_bookmark(bookmarks, bookmark.number))
            table.fail("number", "a second bookmark " + std::to_string(bookmark.number) +
                                     "; give it another number");
        bookmark.name = table.text("name", "");
        table.read_camera(bookmark.camera, scene.offset);
        table.warn_about_unknown_keys(scene.warnings);
        set_bookmark(bookmarks, bookmark);
    });
    return bookmarks;
}

}  // namespace tl
