#include "renderer/scene/toml/toml_writer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/one_line.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/surface_layers.h"
#include "renderer/scene/toml/toml_lights.h"
#include "renderer/scene/toml/toml_lines.h"
#include "renderer/scene/toml/toml_materials.h"

namespace tl {
namespace {

void add_camera(TomlLines& lines, const Camera& camera, const glm::dvec3& offset) {
    lines.add("eye", toml_place(camera.eye, offset));
    lines.add("target", toml_place(camera.target, offset));
    lines.add("up", toml_vector(camera.up));
    lines.add("fov", number_text(camera.vertical_fov));
    lines.add("lens-radius", number_text(camera.lens_radius));
    lines.add("focus-distance", number_text(camera.focus_distance));
}

/// Begins the table of changes of a part.
TomlLines begin_override(const EditedScene& edited, const ItemId& id) {
    TomlLines lines("[[override]]");
    lines.add(name_of(id.kind), toml_reference(edited, id));
    return lines;
}

void add_material_lines(TomlLines& lines, const EditedScene& edited, std::uint32_t index,
                        const Material& now) {
    Material before = edited.material_before(index);
    bool same_kind =
        now.layers ? before.layers.has_value() : !before.layers && now.kind == before.kind;
    if (!same_kind) {
        for (auto& [word, kind] : kMaterialKinds)
            if (now.layers ? !kind : kind == now.kind) lines.add("kind", toml_string(word));
        if (!now.layers) before = with_kind(before, before, now.kind);
    }
    if (now.layers) {
        auto was = before.layers.value_or(SurfaceLayers{.base = before.diffuse});
        lines.differing("diffuse", now.layers->base, was.base);
        lines.differing("metallic", now.layers->metallic, was.metallic);
        lines.differing("roughness", now.layers->roughness, was.roughness);
        lines.differing("transmitted", now.layers->transmission, was.transmission);
        lines.differing("coat", now.layers->coat, was.coat);
        lines.differing("coat-roughness", now.layers->coat_roughness, was.coat_roughness);
        if (now.layers->reflectance != was.reflectance || now.ior != before.ior)
            lines.add("ior", number_text(now.ior));
    } else {
        lines.differing("diffuse", now.diffuse, before.diffuse);
        lines.differing("specular", now.specular, before.specular);
        lines.differing("exponent", now.exponent, before.exponent);
        if (is_perfect(now.kind)) lines.differing("roughness", now.roughness, before.roughness);
        lines.differing("ior", now.ior, before.ior);
        lines.differing("transmission", now.transmission, before.transmission);
        lines.differing("absorption", now.absorption, before.absorption);
        if (now.priority != before.priority) lines.add("priority", number_text(now.priority));
    }
    lines.differing("emission", now.emission, before.emission);
    lines.differing("alpha-cutoff", now.alpha_cutoff, before.alpha_cutoff);
    lines.differing("normal-scale", now.normal_scale, before.normal_scale);
    if (has_textures(edited.material_before(index)) && !has_textures(now))
        lines.add("textures", "false");
}

void add_light_lines(TomlLines& lines, const EditedScene& edited, std::uint32_t index,
                     const Light& now) {
    auto& before = edited.light_before(index);
    if (now.position != before.position)
        lines.add("position", toml_place(now.position, edited.scene()->offset));
    lines.differing("direction", now.direction, before.direction);
    lines.differing("edge-u", now.edge_u, before.edge_u);
    lines.differing("edge-v", now.edge_v, before.edge_v);
    lines.differing("radius", now.radius, before.radius);
    lines.differing("inner-angle", now.inner_angle, before.inner_angle);
    lines.differing("outer-angle", now.outer_angle, before.outer_angle);
    lines.differing(brightness_key(now.kind), now.radiance, before.radiance);
}

void add_transform_lines(TomlLines& lines, const Transform& transform) {
    lines.differing("scale", transform.scale, vec3(1));
    lines.differing("rotate", transform.rotate, vec3(0));
    if (transform.translate != glm::dvec3(0))
        lines.add("translate", toml_vector(transform.translate));
}

/// All parts with changes, in the order in which they are written.
std::vector<ItemId> changed_items(const SceneEdits& edits, const ItemMarks& base) {
    std::vector<ItemId> items;
    for (auto& [index, material] : edits.materials) items.push_back({ItemKind::material, index});
    for (auto& [index, light] : edits.lights) items.push_back({ItemKind::light, index});
    for (auto& [id, transform] : edits.objects) items.push_back(item_of(id));
    auto add = [&](const ItemId& id) {
        if (std::ranges::find(items, id) == items.end()) items.push_back(id);
    };
    for (auto& [id, name] : edits.marks.names) add(id);
    for (auto* marked : {&edits.marks.hidden, &edits.marks.deleted, &base.hidden})
        for (auto& id : *marked) add(id);
    return items;
}

/// The table [[override]] of a part; "" where the other scene itself says as much.
std::string override_text(const EditedScene& edited, const ItemId& id, const ItemMarks& base) {
    auto& edits = edited.edits();
    auto lines = begin_override(edited, id);
    const std::string none = lines.text();
    auto material = edits.materials.find(id.index);
    auto light = edits.lights.find(id.index);
    if (id.kind == ItemKind::material && material != edits.materials.end())
        add_material_lines(lines, edited, id.index, material->second);
    if (id.kind == ItemKind::light && light != edits.lights.end())
        add_light_lines(lines, edited, id.index, light->second);
    for (auto& [object, transform] : edits.objects)
        if (item_of(object) == id) add_transform_lines(lines, transform);
    auto& marks = edits.marks;
    auto name = marks.names.find(id);
    auto known = base.names.find(id);
    bool same = name != marks.names.end() && known != base.names.end() && *name == *known;
    if (name != marks.names.end() && !same && is_utf8(name->second))
        lines.add("name", toml_string(name->second));
    if (marks.hidden.contains(id) != base.hidden.contains(id))
        lines.add("hidden", marks.hidden.contains(id) ? "true" : "false");
    if (marks.deleted.contains(id) && !base.deleted.contains(id)) lines.add("deleted", "true");
    return lines.text() == none ? "" : lines.text();
}

/// All keys of a new light but its name.
std::string light_lines(const Light& light, const glm::dvec3& offset) {
    TomlLines lines("");
    auto kind = std::ranges::find(kLightKinds, light.kind, [](auto& row) { return row.second; });
    lines.add("kind", toml_string(kind->first));
    bool is_far = light.kind == LightKind::directional, is_spot = light.kind == LightKind::spot;
    if (!is_far) lines.add("position", toml_place(light.position, offset));
    if (is_far || is_spot) lines.add("direction", toml_vector(light.direction));
    if (light.kind == LightKind::rectangle) {
        lines.add("edge-u", toml_vector(light.edge_u));
        lines.add("edge-v", toml_vector(light.edge_v));
    }
    if (light.kind == LightKind::sphere) lines.add("radius", number_text(light.radius));
    if (is_spot) {
        lines.add("inner-angle", number_text(light.inner_angle));
        lines.add("outer-angle", number_text(light.outer_angle));
    }
    lines.add(brightness_key(light.kind), toml_vector(light.radiance));
    return lines.text().substr(2);
}

/// The table [[add]] of an addition.
std::string addition_text(const EditedScene& edited, const SceneAddition& addition,
                          const std::string& path) {
    TomlLines lines("[[add]]");
    auto offset = edited.scene()->offset;
    lines.add(name_of(addition.kind), toml_string(is_utf8(addition.name) ? addition.name : ""));
    if (addition.copied) {
        lines.add("copy", toml_reference(edited, {addition.kind, *addition.copied}));
        return lines.text();
    }
    if (addition.kind == ItemKind::light) return lines.text() + light_lines(addition.light, offset);
    if (addition.kind == ItemKind::material) return lines.text();
    if (!addition.shape.empty()) lines.add("shape", toml_string(addition.shape));
    if (!addition.file.empty()) lines.add("file", toml_string(name_from(path, addition.file)));
    if (addition.material)
        lines.add("material", toml_reference(edited, {ItemKind::material, *addition.material}));
    auto place = addition.place;
    place.translate += offset;
    if (addition.kind == ItemKind::sphere) {
        lines.add("center", toml_vector(place.translate));
        lines.add("radius", number_text(place.scale.x));
    } else {
        add_transform_lines(lines, place);
    }
    return lines.text();
}

}  // namespace

std::string scene_file_text(const SceneDocument& document, const Camera& camera,
                            const SettingTexts& settings, const std::string& path) {
    auto& edited = document.edited;
    auto& scene = *edited.scene();
    auto& edits = edited.edits();
    std::error_code none;
    if (is_file_name(document.base) && (absolute_path(path) == document.base ||
                                        std::filesystem::equivalent(path, document.base, none)))
        throw UserError("'" + path +
                        "' is the scene that was changed, which the file to be written refers to; "
                        "choose another name");
    std::string text =
        "# Written by Treelight: a scene, and what was changed of it.\nversion = 1\n";
    if (scene.name != document.base_name) text += "name = " + toml_string(scene.name) + "\n";
    std::string base = is_file_name(document.base) ? name_from(path, document.base) : document.base;
    text += "scene = " + toml_string(base) + "\n";
    if (!document.default_lights) text += "default-lights = false\n";
    if (edits.background) text += "background = " + toml_vector(*edits.background) + "\n";
    bool no_map = edits.environment && edits.environment->file.empty();
    if (no_map) text += "environment = \"\"\n";

    TomlLines view("[camera]");
    add_camera(view, camera, scene.offset);
    text += view.text();
    if (edits.environment && !no_map) {
        TomlLines lines("[environment]");
        lines.add("file", toml_string(name_from(path, edits.environment->file)));
        lines.add("rotation", number_text(edits.environment->rotation));
        lines.add("scale", toml_vector(edits.environment->scale));
        text += lines.text();
    }
    for (auto& [section, values] : settings) {
        if (values.empty()) continue;
        TomlLines lines("[" + section + "]");
        for (auto& [id, value] : values) lines.add(id.c_str(), setting_value(value));
        text += lines.text();
    }
    for (auto& addition : edits.added) text += addition_text(edited, addition, path);
    for (auto& id : changed_items(edits, document.base_marks))
        text += override_text(edited, id, document.base_marks);
    for (auto& bookmark : document.bookmarks) {
        TomlLines lines("[[bookmark]]");
        lines.add("number", std::to_string(bookmark.number));
        if (!bookmark.name.empty()) lines.add("name", toml_string(bookmark.name));
        add_camera(lines, bookmark.camera, scene.offset);
        text += lines.text();
    }
    return text;
}

std::vector<std::string> files_outside(const SceneDocument& document, const std::string& path) {
    SceneAccess access(absolute_path(path), false);
    std::vector<std::string> outside;
    auto add = [&](const std::string& file) {
        if (!file.empty() && !access.permits(file)) outside.push_back(file);
    };
    if (is_file_name(document.base)) add(document.base);
    if (auto& environment = document.edited.edits().environment) add(environment->file);
    for (auto& addition : document.edited.edits().added) add(addition.file);
    return outside;
}

}  // namespace tl
