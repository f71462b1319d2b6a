#include "renderer/scene/toml/toml_additions.h"

#include "core/base/error.h"
#include "core/base/paths.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/shapes.h"
#include "renderer/scene/toml/toml_geometry.h"
#include "renderer/scene/toml/toml_lights.h"
#include "renderer/scene/toml/toml_overrides.h"

namespace tl {
namespace {

/// The kind of part that a table adds; its key has the new name.
ItemKind read_added_kind(TomlTable& table) {
    std::vector<ItemKind> named;
    for (std::size_t i = 0; i < kItemKinds; ++i) {
        auto kind = static_cast<ItemKind>(i);
        // Shapes, spheres and files have a material.
        bool other = kind == ItemKind::material && !named.empty();
        if (table.has(name_of(kind)) && !other) named.push_back(kind);
    }
    if (named.size() != 1)
        table.fail("add",
                   "[[add]] gives a name to one of material, light, mesh, patches, sphere, "
                   "instance, cloud and gaussians");
    return named[0];
}

void read_sphere_place(TomlTable& table, const glm::dvec3& offset, Transform& place) {
    place.translate = table.wide_vector("center") - offset;
    place.scale = vec3(table.real("radius", 1, 1e-9, kLargestCoordinate));
}

/// Reads what a shape or a model is made from.
void read_mesh_source(TomlTable& table, const std::filesystem::path& folder,
                      const ReadContext& reading, SceneAddition& addition) {
    addition.shape = table.text("shape", "");
    if (addition.shape.empty() != table.has("file"))
        table.fail("mesh", "[[add]] of a mesh wants one of 'copy', 'shape' and 'file'");
    const char* key = table.has("file") ? "file" : "shape";
    try {
        if (!table.has("file")) return (void)find_shape(addition.shape);
        auto path = resolve_file(table.text("file", ""), folder, reading);
        addition.file = absolute_path(path.string()).string();
    } catch (const UserError& error) {
        table.fail(key, error.what());
    }
}

SceneAddition read_addition(TomlTable& table, const std::filesystem::path& folder,
                            const ReadContext& reading, const EditedScene& edited) {
    const glm::dvec3 offset = edited.scene()->offset;
    SceneAddition addition{.kind = read_added_kind(table)};
    addition.name = table.text(name_of(addition.kind), "");
    if (table.has("copy")) {
        addition.copied = read_reference(table, "copy", addition.kind, edited);
        return addition;
    }
    if (addition.kind == ItemKind::material) return addition;
    if (addition.kind == ItemKind::light) {
        addition.light = read_new_light(table, offset);
        if (table.has("direction")) addition.light.direction = read_direction(table);
        return addition;
    }
    if (table.has("material"))
        addition.material = read_reference(table, "material", ItemKind::material, edited);
    if (addition.kind == ItemKind::sphere) {
        read_sphere_place(table, offset, addition.place);
        return addition;
    }
    if (addition.kind != ItemKind::mesh)
        table.fail(name_of(addition.kind),
                   std::string("[[add]] of ") + name_of(addition.kind) + " wants 'copy'");
    read_mesh_source(table, folder, reading, addition);
    addition.place = read_transform(table, offset);
    return addition;
}

}  // namespace

void read_additions(TomlTable& root, const std::string& file, const std::filesystem::path& folder,
                    const ReadContext& reading, EditedScene& edited) {
    edited.note_contents();
    root.for_each_table("add", [&](const toml::table& source) {
        TomlTable table(source, "[[add]]", file);
        auto edits = edited.edits();
        edits.added.push_back(read_addition(table, folder, reading, edited));
        try {
            (void)edited.apply(edits, nullptr, reading);
        } catch (const UserError& error) {
            table.fail(name_of(edits.added.back().kind), error.what());
        }
        table.warn_about_unknown_keys(edited.scene()->warnings);
    });
}

}  // namespace tl
