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
#include "renderer/scene/toml/toml_materials.h"
#include "renderer/scene/toml/toml_overrides.h"

namespace tl {
namespace {

std::string toml_string(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') result += '\\';
        if (code >= 0x20 && code != 0x7f)
            result += c;
        else
            result.append("\\u00").append(hex_text(code));
    }
    return result + "\"";
}

std::string toml_vector(const auto& v) {
    std::string text = "[";
    text.append(number_text(v.x)).append(", ").append(number_text(v.y)).append(", ");
    return text.append(number_text(v.z)).append("]");
}

/// A point in the coordinates of the scene's files: the scene's offset is added.
std::string toml_place(vec3 place, const glm::dvec3& offset) {
    std::string text = "[";
    for (int axis = 0; axis < 3; ++axis) {
        if (axis > 0) text.append(", ");
        text.append(offset[axis] == 0 ? number_text(place[axis])
                                      : number_text(double(place[axis]) + offset[axis]));
    }
    return text.append("]");
}

/// A setting's text as a value of TOML that is read back as the same text.
std::string setting_value(const std::string& text) {
    bool is_flag = text == "true" || text == "false";
    auto number = number_in<double>(text);
    return is_flag || (number && std::isfinite(*number)) ? text : toml_string(text);
}

/// The lines of a table; only changed values are written.
class TomlLines {
  public:
    explicit TomlLines(const std::string& title) : text_("\n") { text_.append(title).append("\n"); }

    void add(const char* key, const std::string& value) {
        text_ += std::string(key) + " = " + value + "\n";
    }
    void differing(const char* key, vec3 now, vec3 before) {
        if (now != before) add(key, toml_vector(now));
    }
    void differing(const char* key, float now, float before) {
        if (now != before) add(key, number_text(now));
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

void add_camera(TomlLines& lines, const Camera& camera, const glm::dvec3& offset) {
    lines.add("eye", toml_place(camera.eye, offset));
    lines.add("target", toml_place(camera.target, offset));
    lines.add("up", toml_vector(camera.up));
    lines.add("fov", number_text(camera.vertical_fov));
    lines.add("lens-radius", number_text(camera.lens_radius));
    lines.add("focus-distance", number_text(camera.focus_distance));
}

/// An element's name if it is unique and TOML can hold it, else its number.
template <class List>
std::string reference_text(const List& list, std::uint32_t index) {
    if constexpr (requires { list[0].name; }) {
        auto& name = list[index].name;
        if (!name.empty() && is_utf8(name) &&
            std::ranges::count(list, name, [](auto& e) { return e.name; }) == 1)
            return toml_string(name);
    }
    return std::to_string(index);
}

std::string material_text(const EditedScene& edited, std::uint32_t index, const Material& now) {
    TomlLines lines("[[override]]");
    lines.add("material", reference_text(edited.scene()->materials, index));
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
    return lines.text();
}

std::string light_text(const EditedScene& edited, std::uint32_t index, const Light& now) {
    TomlLines lines("[[override]]");
    lines.add("light", std::to_string(index));
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
    return lines.text();
}

std::string object_text(const Scene& scene, const ObjectId& id, const Transform& transform) {
    TomlLines lines("[[override]]");
    std::string name = std::to_string(id.index);
    if (id.kind == ObjectKind::mesh) name = reference_text(scene.meshes, id.index);
    if (id.kind == ObjectKind::patches) name = reference_text(scene.patches, id.index);
    lines.add(name_of(id.kind), name);
    lines.differing("scale", transform.scale, vec3(1));
    lines.differing("rotate", transform.rotate, vec3(0));
    if (transform.translate != glm::dvec3(0))
        lines.add("translate", toml_vector(transform.translate));
    return lines.text();
}

/// Name by which a scene file at `path` refers to another file.
std::string name_from(const std::string& path, const std::string& file) {
    return std::filesystem::path(file)
        .lexically_proximate(absolute_path(path).parent_path())
        .string();
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
    for (auto& [index, material] : edits.materials) text += material_text(edited, index, material);
    for (auto& [index, light] : edits.lights) text += light_text(edited, index, light);
    for (auto& [id, transform] : edits.objects) text += object_text(scene, id, transform);
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
    return outside;
}

}  // namespace tl
