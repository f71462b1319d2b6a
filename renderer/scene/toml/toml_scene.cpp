#include "renderer/scene/toml/toml_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/near_match.h"
#include "core/base/paths.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/surface_layers.h"
#include "renderer/scene/toml/toml_additions.h"
#include "renderer/scene/toml/toml_geometry.h"
#include "renderer/scene/toml/toml_lights.h"
#include "renderer/scene/toml/toml_materials.h"
#include "renderer/scene/toml/toml_overrides.h"

namespace tl {
namespace {

constexpr std::size_t kLargestSceneFile = std::size_t{64} << 20;

constexpr Choices<TextureWrap, 3> kWraps{{"repeat", TextureWrap::repeat},
                                         {"clamp", TextureWrap::clamp},
                                         {"mirror", TextureWrap::mirror}};
void read_textures(TomlContext& context, TomlTable& table, Material& material) {
    TextureWrap wrap = table.choice("wrap", "wrap", kWraps);
    auto read = [&](const char* key, bool is_srgb) {
        std::string name = table.text(key, "");
        if (!table.has(key)) return -1;
        try {
            return add_texture(
                context.scene, resolve_file(name, context.folder, context.reading).string(),
                {.is_srgb = is_srgb, .wrap_u = wrap, .wrap_v = wrap}, context.reading);
        } catch (const UserError& error) {
            table.fail(key, error.what());
        }
    };
    material.diffuse_texture = read("texture", true);
    material.alpha_cutoff = table.real("alpha-cutoff", material.alpha_cutoff, 0, 1);
    if (material.alpha_cutoff > 0) cut_out_by_diffuse(context.scene, material);
    material.normal_texture = read("normal-texture", false);
    material.emission_texture = read("emission-texture", true);
    if (material.layers) material.layers->texture = read("metallic-roughness-texture", false);
    material.normal_scale = table.real("normal-scale", material.normal_scale, -100, 100);
}

/// A material of kind "layered".
void read_layers(TomlTable& table, Material& material) {
    auto layers = material.layers.value_or(SurfaceLayers{});
    read_layer_keys(table, layers);
    float ior = table.real("ior", material.ior, 1, 10);
    layers.reflectance = vec3(reflectance_of_index(ior));
    set_layers(material, layers, ior, layers.metallic, layers.roughness);
}

void read_material(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[material]]", context.file);
    Scene& scene = context.scene;
    table.require("name");
    Material material;
    material.name = table.text("name", "");
    bool layered = false;
    if (auto* preset = read_preset(table)) {
        material = with_preset(material, material, *preset);
        layered = material.layers.has_value();
    } else {
        auto kind = table.choice("kind", "kind of material", kMaterialKinds);
        layered = !kind;
        material.kind = kind.value_or(material.kind);
        if (is_perfect(material.kind)) material.specular = vec3(1);
    }
    if (layered)
        read_layers(table, material);
    else
        read_plain_material(table, material);
    material.emission = table.spread("emission", material.emission, 0, kBrightest);
    read_textures(context, table, material);
    table.warn_about_unknown_keys(scene.warnings);

    // "default" exists from the start; the file may redefine it.
    if (material.name == "default") {
        scene.materials[0] = std::move(material);
        return;
    }
    auto index = static_cast<std::int32_t>(scene.materials.size());
    if (!context.materials.emplace(material.name, index).second)
        table.fail("name", "a second material '" + material.name + "'; give it another name");
    scene.materials.push_back(std::move(material));
}

void read_light(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[light]]", context.file);
    note_name(context, table, ItemKind::light, context.scene.lights.size());
    context.scene.lights.push_back(read_new_light(table, context.offset));
    table.warn_about_unknown_keys(context.scene.warnings);
}

/// Reads `environment = "sky.hdr"`, or a table [environment] with more keys, and hands the choice
/// to `use`, whose errors are those of the key. An empty name, for none, is refused unless
/// `may_be_none`.
template <class Use>
void read_environment(TomlContext& context, TomlTable& root, bool may_be_none, Use use) {
    auto* node = root.find("environment");
    if (!node) return;
    auto read = [&](TomlTable& table, const char* key, EnvironmentChoice choice) {
        std::string name = table.text(key, "");
        try {
            if (!name.empty() || !may_be_none)
                choice.file = resolve_file(name, context.folder, context.reading).string();
            use(choice);
        } catch (const UserError& error) {
            table.fail(key, error.what());
        }
    };
    if (!node->is_table()) return read(root, "environment", {});
    TomlTable table(*node->as_table(), "[environment]", context.file);
    table.require("file");
    float rotation = table.real("rotation", 0, -360, 360);
    read(table, "file", {"", rotation, table.spread("scale", vec3(1), 0, 1e6)});
    table.warn_about_unknown_keys(context.scene.warnings);
}

/// Reads the camera. Returns whether the table sets its position; without an eye it sets only the
/// lens.
bool read_camera(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[camera]", context.file);
    Camera& camera = context.scene.camera;
    bool placed = table.has("eye");
    if (table.has("target") && !placed) table.fail("target", "[camera] with 'target' needs 'eye'");
    if (placed) table.require("target");
    table.read_camera(camera, context.offset);
    vec3 view = camera.target - camera.eye;
    vec3 side = glm::cross(glm::normalize(view), glm::normalize(camera.up));
    if (placed && !(glm::length(side) > 1e-6f))
        table.fail("up", "[camera] looks along 'up'; turn one of them");
    table.warn_about_unknown_keys(context.scene.warnings);
    return placed;
}

std::string setting_text(const std::string& file, const std::string& name, const toml::node& node) {
    auto text = scalar_text(node);
    auto real = node.value_exact<double>();
    if (!text || (real && !std::isfinite(*real)))
        throw UserError(
            at(file, node.source(), name + " wants a finite number, a word, true or false"));
    return *text;
}

constexpr std::array kRenderKeys = {"renderer", "builder", "required"};

/// Checks a key of [render]; returns false for an unknown one, which is a warning.
bool check_render_key(TomlContext& context, const toml::table& section, const toml::key& key,
                      const toml::node& value) {
    if (key == "required") {
        if (!value.is_boolean())
            throw UserError(at(context.file, value.source(),
                               "[render] required is true or false: whether a renderer that the "
                               "user chose before gives way to this one"));
        if (!section.contains("renderer"))
            throw UserError(at(context.file, value.source(),
                               "[render] required needs 'renderer' beside it: name one"));
        return true;
    }
    if (key == "renderer" || key == "builder") return true;
    context.scene.warnings.push_back(at(context.file, value.source(),
                                        "unknown key '" + std::string(key.str()) + "' in [render]" +
                                            known_names(key.str(), kRenderKeys)));
    return false;
}

/// Stores settings as text; the sections that they belong to check them.
void read_settings(TomlContext& context, TomlTable& root, const toml::table& source) {
    for (auto& [key, node] : source) {
        auto* section = node.as_table();
        std::string name(key.str());
        if (!section || !(name == "render" || is_settings_section(name))) continue;
        (void)root.find(name.c_str());
        context.scene.settings_line[name] = static_cast<int>(section->source().begin.line);
        for (auto& [setting, value] : *section) {
            if (name == "render" && !check_render_key(context, *section, setting, value)) continue;
            std::string title = "[" + name + "] " + std::string(setting.str());
            context.scene.settings[name][std::string(setting.str())] =
                setting_text(context.file, title, value);
        }
    }
}

/// Reads the duration; it is 0 if nothing moves, regardless of the file.
void read_duration(Scene& scene, TomlTable& root) {
    constexpr float kDefault = 6;  // seconds
    auto moves = [](const auto& mesh) { return mesh.animation.kind != AnimationKind::none; };
    auto walks = [](const Instance& instance) { return instance.walk.radius != 0; };
    float duration =
        root.real("duration", scene.duration > 0 ? scene.duration : kDefault, 1e-3, 1e6);
    bool any = std::ranges::any_of(scene.meshes, moves) ||
               std::ranges::any_of(scene.patches, moves) ||
               std::ranges::any_of(scene.instances, walks);
    scene.duration = any ? duration : 0;
}

toml::table parse(const std::string& path, const ReadContext& reading) {
    return parse_toml(read_text_file(path, reading, kLargestSceneFile), path);
}

/// Reads a file that is complete; returns what it does not specify.
SceneGaps read_root(SceneDocument& document, TomlContext& context, TomlTable& root,
                    const toml::table& source) {
    Scene& scene = context.scene;
    SceneGaps gaps;
    scene.name = root.text("name", scene.name);
    std::string environment;
    read_environment(context, root, false, [&](const EnvironmentChoice& choice) {
        scene.environment = load_environment(choice.file, scene.warnings, context.reading);
        scene.environment.rotation = choice.rotation;
        scene.environment.scale = choice.scale;
        environment = absolute_path(choice.file).string();
    });
    gaps.lights = root.flag("default-lights", true) && scene.environment.empty();

    root.for_each_table("material", [&](auto& t) { read_material(context, t); });
    root.for_each_table("light", [&](auto& t) { read_light(context, t); });
    if (auto* camera = root.find_table("camera", "'camera' wants a table; write [camera]"))
        gaps.camera = !read_camera(context, *camera);

    // Generators add lights and set the camera if the file does not.
    context.generators_add_lights = scene.lights.empty() && gaps.lights;
    context.generators_set_camera = !source.contains("camera");
    root.for_each_table("mesh", [&](auto& t) {
        if (auto file = t["file"].template value<std::string>()) context.models.expect(*file);
    });
    root.for_each_table("mesh", [&](auto& t) { read_mesh(context, t); });
    root.for_each_table("patches", [&](auto& t) { read_patches(context, t); });
    root.for_each_table("sphere", [&](auto& t) { read_sphere(context, t); });
    root.for_each_table("generate", [&](auto& t) {
        read_generate(context, t);
        gaps.camera = gaps.camera && context.generators_set_camera;
    });
    root.for_each_table("instances", [&](auto& t) { read_instances(context, t); });
    read_duration(scene, root);
    scene.background = root.spread("background", scene.background, 0, kBrightest);
    scene.offset = context.offset;
    // Changes are part of a file that is complete, but for marks and names, which stay edits: what
    // is hidden can be shown again.
    EditedScene changed(document.scene());
    read_additions(root, context.file, context.folder, context.reading, changed);
    read_overrides(root, context.file, changed);
    auto edits = changed.edits();
    document.base_marks = std::exchange(edits.marks, {});
    auto& names = document.base_marks.names;
    for (auto kind : {ItemKind::sphere, ItemKind::instance, ItemKind::light})
        for (auto i = count_of(changed.own_end(), kind); i < changed.count(kind); ++i)
            if (ItemId id{kind, static_cast<std::uint32_t>(i)}; !changed.name(id).empty())
                names.emplace(id, changed.name(id));
    names.insert(context.names.begin(), context.names.end());
    (void)changed.apply(edits);
    document.edited = EditedScene(document.scene(), environment);
    read_settings(context, root, source);
    return gaps;
}

/// Reads a file that names another scene, and its changes to that scene.
void read_based(SceneDocument& document, TomlTable& root, const toml::table& source,
                const std::string& path, bool default_lights, const ReadContext& reading) {
    for (auto* key : {"material", "light", "mesh", "patches", "sphere", "generate", "instances"})
        if (root.has(key))
            root.fail(key,
                      "a file that names a 'scene' changes it by [[add]] and [[override]], and "
                      "takes no [[" +
                          std::string(key) + "]]");
    auto folder = std::filesystem::path(path).parent_path();
    std::string name = root.text("scene", "");
    default_lights = root.flag("default-lights", true) && default_lights;
    try {
        if (is_file_name(name)) name = resolve_file(name, folder, reading).string();
        document = load_base(name, default_lights, reading);
    } catch (const UserError& error) {
        root.fail("scene", error.what());
    }
    Scene& scene = *document.scene();
    document.path = scene.path = path;
    scene.name = root.text("name", scene.name);
    scene.settings_line.clear();
    TomlContext context{.scene = scene,
                        .file = path,
                        .reading = reading,
                        .folder = folder,
                        .offset = scene.offset,
                        .materials = {}};
    if (auto* camera = root.find_table("camera", "'camera' wants a table; write [camera]"))
        (void)read_camera(context, *camera);
    auto change = [&](auto set) {
        auto edits = document.edited.edits();
        set(edits);
        (void)document.edited.apply(edits, nullptr, reading);
    };
    read_environment(context, root, true, [&](EnvironmentChoice choice) {
        choice.file = absolute_path(choice.file).string();
        change([&](SceneEdits& edits) { edits.environment = choice; });
    });
    if (root.has("background"))
        change([&](SceneEdits& edits) {
            edits.background = root.spread("background", scene.background, 0, kBrightest);
        });
    read_additions(root, path, folder, reading, document.edited);
    read_overrides(root, path, document.edited);
    read_settings(context, root, source);
}

}  // namespace

const MaterialPreset* read_preset(TomlTable& table) {
    if (!table.has("preset")) return nullptr;
    auto id = table.text("preset", "");
    if (table.has("kind"))
        table.fail("kind", "'preset' brings a kind of its own: leave out one of both");
    auto* preset = find_preset(id);
    if (!preset)
        table.fail("preset",
                   "unknown preset '" + id + "'" +
                       known_names(id, std::views::transform(material_presets(), [](auto& known) {
                                       return known.id;
                                   })));
    return preset;
}

void read_layer_keys(TomlTable& table, SurfaceLayers& layers) {
    layers.base = table.spread("diffuse", layers.base, 0, 1);
    layers.metallic = table.real("metallic", layers.metallic, 0, 1);
    layers.roughness = table.real("roughness", layers.roughness, 0, 1);
    layers.transmission = table.real("transmitted", layers.transmission, 0, 1);
    layers.coat = table.real("coat", layers.coat, 0, 1);
    layers.coat_roughness = table.real("coat-roughness", layers.coat_roughness, 0, 1);
}

void read_plain_material(TomlTable& table, Material& material) {
    material.diffuse = table.spread("diffuse", material.diffuse, 0, 1);
    material.specular = table.spread("specular", material.specular, 0, 1);
    material.exponent = table.real("exponent", material.exponent, 0, 1e6);
    if (is_perfect(material.kind))
        material.roughness = table.real("roughness", material.roughness, 0, 1);
    material.ior = table.real("ior", material.ior, 0.1, 10);
    material.transmission = table.spread("transmission", material.transmission, 0, 1);
    material.absorption = table.spread("absorption", material.absorption, 0, 1e6);
    material.priority = static_cast<int>(table.number("priority", material.priority, 0, 1000));
}

SceneGaps read_toml_scene(SceneDocument& document, const std::string& path, bool may_have_base,
                          bool default_lights, const ReadContext& reading) {
    toml::table source = parse(path, reading);
    TomlTable root(source, "the scene file", path);
    if (root.number("version", 1, -1e18, 1e18) != 1)
        root.fail("version", "this program reads version 1 of scene files");
    SceneGaps gaps{.camera = false, .lights = false};
    if (root.has("scene")) {
        if (!may_have_base)
            root.fail("scene", "this file itself names a scene: name '" + root.text("scene", "") +
                                   "' instead");
        read_based(document, root, source, path, default_lights, reading);
    } else {
        Scene& scene = *document.scene();
        scene.name = std::filesystem::path(path).stem().string();
        const Scene before = scene;
        auto read = [&](const glm::dvec3& offset) {
            TomlContext context{.scene = scene,
                                .file = path,
                                .reading = reading,
                                .folder = std::filesystem::path(path).parent_path(),
                                .offset = offset,
                                .materials = {{"default", 0}}};
            gaps = read_root(document, context, root, source);
        };
        read(glm::dvec3(0));
        Box bounds = bounds_of(scene);
        glm::dvec3 offset = recentring_offset({glm::dvec3(bounds.lo), glm::dvec3(bounds.hi)});
        // Floats have lost details: everything is read again relative to a point nearby.
        if (!bounds.empty() && offset != glm::dvec3(0)) {
            scene = before;
            read(offset);
        }
    }
    document.bookmarks = read_bookmarks(root, path, *document.scene());
    root.warn_about_unknown_keys(document.scene()->warnings);
    return gaps;
}

}  // namespace tl
