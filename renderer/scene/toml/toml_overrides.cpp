#include "renderer/scene/toml/toml_overrides.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "renderer/scene/surface_layers.h"
#include "renderer/scene/toml/toml_geometry.h"
#include "renderer/scene/toml/toml_lights.h"
#include "renderer/scene/toml/toml_materials.h"

namespace tl {
namespace {

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

/// The part that a table names by one of the keys.
ItemId read_item(TomlTable& table, const EditedScene& edited) {
    std::vector<ItemKind> named;
    for (std::size_t kind = 0; kind < kItemKinds; ++kind)
        if (table.has(name_of(static_cast<ItemKind>(kind))))
            named.push_back(static_cast<ItemKind>(kind));
    if (named.size() != 1)
        table.fail("override",
                   "[[override]] names one of material, light, mesh, patches, sphere, instance, "
                   "cloud and gaussians");
    return {named[0], read_reference(table, name_of(named[0]), named[0], edited)};
}

/// Reads the keys that every kind of part has.
void read_marks(TomlTable& table, const ItemId& id, ItemMarks& marks) {
    if (table.has("name")) marks.names[id] = table.text("name", "");
    auto mark = [&](const char* key, std::set<ItemId>& marked) {
        if (!table.has(key)) return;
        if (table.flag(key, false))
            marked.insert(id);
        else
            marked.erase(id);
    };
    if (id.kind == ItemKind::material && table.has("hidden"))
        table.fail("hidden", "a material is not seen by itself; hide what has it");
    mark("hidden", marks.hidden);
    mark("deleted", marks.deleted);
}

/// Adds the change of one table to those of the same file; returns the part.
ItemId read_change(TomlTable& table, const EditedScene& edited, SceneEdits& edits) {
    const ItemId id = read_item(table, edited);
    if (id.kind == ItemKind::material) {
        edits.materials.insert_or_assign(
            id.index, read_material_change(table, edited.material_before(id.index)));
    } else if (id.kind == ItemKind::light) {
        edits.lights.insert_or_assign(
            id.index,
            read_light_change(table, edited.light_before(id.index), edited.scene()->offset));
    } else if (table.has("scale") || table.has("rotate") || table.has("translate")) {
        edits.objects.insert_or_assign(object_of(id), read_transform(table));
    }
    read_marks(table, id, edits.marks);
    return id;
}

}  // namespace

void read_overrides(TomlTable& root, const std::string& file, EditedScene& edited) {
    edited.note_contents();
    SceneEdits edits = edited.edits();
    std::set<ItemId> changed;
    root.for_each_table("override", [&](const toml::table& source) {
        TomlTable table(source, "[[override]]", file);
        auto id = read_change(table, edited, edits);
        auto* key = name_of(id.kind);
        if (!changed.insert(id).second)
            table.fail(key, std::string("a second [[override]] of the same ") + key +
                                "; write all of its changes into one");
        try {
            edited.check(edits);
        } catch (const UserError& error) {
            table.fail(key, error.what());
        }
        table.warn_about_unknown_keys(edited.scene()->warnings);
    });
    (void)edited.apply(edits);
}

std::uint32_t read_reference(TomlTable& table, const char* key, ItemKind kind,
                             const EditedScene& edited) {
    const std::string what = name_of(kind);
    const auto count = static_cast<std::uint32_t>(edited.count(kind));
    if (auto index = table.find(key)->value_exact<std::int64_t>()) {
        if (*index >= 0 && *index < std::int64_t{count}) return static_cast<std::uint32_t>(*index);
        table.fail(key, "there is no " + what + " " + std::to_string(*index) + "; the scene has " +
                            std::to_string(count) + ", from 0");
    }
    constexpr ItemKind kNamed[] = {ItemKind::mesh, ItemKind::patches, ItemKind::gaussians,
                                   ItemKind::material};
    if (std::ranges::find(kNamed, kind) == std::end(kNamed))
        table.fail(key, what + " wants a number, from 0");
    std::string name = table.text(key, "");
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < count; ++i)
        if (edited.name_before({kind, i}) == name) found.push_back(i);
    if (found.empty()) table.fail(key, "there is no " + what + " '" + name + "' in the scene");
    if (found.size() > 1)
        table.fail(key, "several are called '" + name + "': name one by its number, from 0");
    return found[0];
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
