#include "renderer/scene/toml/toml_scene.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/toml/toml_geometry.h"

namespace tl {
namespace {

constexpr std::size_t kLargestSceneFile = std::size_t{64} << 20;
constexpr double kBrightest = 1e9;

/// Calls `read` for each table of an array of tables: [[material]].
template <class Read>
void for_each_table(TomlContext& context, TomlTable& root, const char* key, Read read) {
    auto* node = root.find(key);
    if (!node) return;
    auto* array = node->as_array();
    if (!array)
        root.fail(key, std::string("'") + key + "' wants a list of tables; write [[" + key + "]]");
    for (auto& element : *array) {
        if (!element.is_table())
            throw UserError(at(context.file, element.source(),
                               std::string("'") + key + "' wants tables; write [[" + key + "]]"));
        read(*element.as_table());
    }
}

/// The table `key` of the file, or null. Throws if it is not a table.
const toml::table* find_table(TomlTable& root, const char* key) {
    auto* node = root.find(key);
    if (node && !node->is_table())
        root.fail(key, std::string("'") + key + "' wants a table; write [" + key + "]");
    return node ? node->as_table() : nullptr;
}

MaterialKind read_kind(TomlTable& table) {
    std::string kind = table.text("kind", "diffuse");
    if (kind == "diffuse") return MaterialKind::diffuse;
    if (kind == "phong") return MaterialKind::phong;
    if (kind == "mirror") return MaterialKind::mirror;
    if (kind == "dielectric") return MaterialKind::dielectric;
    table.fail("kind", "unknown kind of material '" + kind +
                           "'; known: diffuse, phong, mirror, dielectric");
}

TextureWrap read_wrap(TomlTable& table) {
    std::string wrap = table.text("wrap", "repeat");
    if (wrap == "repeat") return TextureWrap::repeat;
    if (wrap == "clamp") return TextureWrap::clamp;
    if (wrap == "mirror") return TextureWrap::mirror;
    table.fail("wrap", "unknown wrap '" + wrap + "'; known: repeat, clamp, mirror");
}

void read_textures(TomlContext& context, TomlTable& table, Material& material) {
    TextureWrap wrap = read_wrap(table);
    auto read = [&](const char* key, bool is_srgb) {
        std::string name = table.text(key, "");
        if (!table.has(key)) return -1;
        try {
            return add_texture(context.scene, resolve_file(name, context.folder).string(),
                               {.is_srgb = is_srgb, .wrap_u = wrap, .wrap_v = wrap});
        } catch (const UserError& error) {
            table.fail(key, error.what());
        }
    };
    material.diffuse_texture = read("texture", true);
    double cutoff = double(material.alpha_cutoff), scale = double(material.normal_scale);
    material.alpha_cutoff = static_cast<float>(table.number("alpha-cutoff", cutoff, 0, 1));
    if (material.alpha_cutoff > 0) cut_out_by_diffuse(context.scene, material);
    material.normal_texture = read("normal-texture", false);
    material.normal_scale = static_cast<float>(table.number("normal-scale", scale, -100, 100));
}

void read_material(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[material]]", context.file);
    Scene& scene = context.scene;
    table.require("name");
    Material material;
    material.name = table.text("name", "");
    material.kind = read_kind(table);
    bool perfect =
        material.kind == MaterialKind::mirror || material.kind == MaterialKind::dielectric;
    material.diffuse = table.color("diffuse", material.diffuse, 0, 1);
    material.specular = table.color("specular", perfect ? vec3(1) : material.specular, 0, 1);
    material.exponent = static_cast<float>(table.number("exponent", material.exponent, 0, 1e6));
    material.ior = static_cast<float>(table.number("ior", material.ior, 0.1, 10));
    material.transmission = table.color("transmission", material.transmission, 0, 1);
    material.absorption = table.color("absorption", material.absorption, 0, 1e6);
    material.priority = static_cast<int>(table.number("priority", material.priority, 0, 1000));
    material.emission = table.color("emission", material.emission, 0, kBrightest);
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

/// The angles of a spot light, from its axis.
void read_cone(TomlTable& table, Light& light) {
    constexpr float kUsualRim = 0.8f;  // start of the falloff, as a fraction of the outer angle
    light.outer_angle = static_cast<float>(table.number("outer-angle", light.outer_angle, 0.1, 90));
    double inner = static_cast<double>(kUsualRim * light.outer_angle);
    light.inner_angle = static_cast<float>(table.number("inner-angle", inner, 0, 90));
    if (light.inner_angle > light.outer_angle)
        table.fail("inner-angle", "'inner-angle' is larger than 'outer-angle'; swap them");
}

void read_light(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[light]]", context.file);
    Light light;
    table.require("kind");
    std::string kind = table.text("kind", "");
    auto brightness = [&](const char* key) {
        table.require(key);
        light.radiance = table.color(key, vec3(0), 0, kBrightest);
    };
    auto position = [&] {
        table.require("position");
        light.position = table.vector("position", vec3(0));
    };
    auto direction = [&] {
        table.require("direction");
        vec3 given = table.vector("direction", vec3(0));
        if (!(glm::length(given) > 0)) table.fail("direction", "a direction of no length");
        light.direction = glm::normalize(given);
    };
    if (kind == "point") {
        light.kind = LightKind::point;
        position();
        brightness("intensity");
    } else if (kind == "directional") {
        light.kind = LightKind::directional;
        direction();
        brightness("irradiance");
    } else if (kind == "spot") {
        light.kind = LightKind::spot;
        position();
        direction();
        read_cone(table, light);
        brightness("intensity");
    } else if (kind == "sphere") {
        light.kind = LightKind::sphere;
        position();
        table.require("radius");
        light.radius = static_cast<float>(table.number("radius", 1, 1e-9, kLargestCoordinate));
        brightness("radiance");
    } else if (kind == "rectangle") {
        light.kind = LightKind::rectangle;
        for (auto* key : {"edge-u", "edge-v"}) table.require(key);
        position();
        light.edge_u = table.vector("edge-u", vec3(0));
        light.edge_v = table.vector("edge-v", vec3(0));
        if (!(glm::length(glm::cross(light.edge_u, light.edge_v)) > 0))
            table.fail("edge-u", "edge-u and edge-v span no rectangle");
        brightness("radiance");
    } else {
        table.fail("kind", "unknown kind of light '" + kind +
                               "'; known: point, spot, directional, rectangle, sphere");
    }
    context.scene.lights.push_back(light);
    table.warn_about_unknown_keys(context.scene.warnings);
}

/// Reads `environment = "sky.hdr"`, or a table [environment] with more keys.
void read_environment(TomlContext& context, TomlTable& root) {
    auto* node = root.find("environment");
    if (!node) return;
    Scene& scene = context.scene;
    auto load = [&](TomlTable& table, const char* key) {
        try {
            std::string file = resolve_file(table.text(key, ""), context.folder).string();
            scene.environment = load_environment(file, scene.warnings);
        } catch (const UserError& error) {
            table.fail(key, error.what());
        }
    };
    if (!node->is_table()) return load(root, "environment");
    TomlTable table(*node->as_table(), "[environment]", context.file);
    table.require("file");
    load(table, "file");
    scene.environment.rotation = static_cast<float>(table.number("rotation", 0, -360, 360));
    scene.environment.scale = table.color("scale", vec3(1), 0, 1e6);
    table.warn_about_unknown_keys(scene.warnings);
}

/// Returns whether the table places the camera; without an eye it sets only the lens.
bool read_camera(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[camera]", context.file);
    Camera& camera = context.scene.camera;
    bool placed = table.has("eye");
    if (table.has("target") && !placed) table.fail("target", "[camera] with 'target' needs 'eye'");
    if (placed) table.require("target");
    camera.eye = table.vector("eye", camera.eye);
    camera.target = table.vector("target", camera.target);
    camera.up = table.vector("up", camera.up);
    camera.vertical_fov =
        static_cast<float>(table.number("fov", camera.vertical_fov, kNarrowestFov, kWidestFov));
    for (auto [key, value] : {std::pair{"lens-radius", &camera.lens_radius},
                              std::pair{"focus-distance", &camera.focus_distance}})
        *value = static_cast<float>(table.number(key, *value, 0, kLargestCoordinate));
    if (auto fault = camera_fault(camera); !fault.empty()) table.fail("eye", "[camera] " + fault);
    vec3 view = camera.target - camera.eye;
    vec3 side = glm::cross(glm::normalize(view), glm::normalize(camera.up));
    if (placed && !(glm::length(side) > 1e-6f))
        table.fail("up", "[camera] looks along 'up'; turn one of them");
    table.warn_about_unknown_keys(context.scene.warnings);
    return placed;
}

std::string setting_text(const std::string& file, const std::string& name, const toml::node& node) {
    if (auto text = node.value_exact<std::string>()) return *text;
    if (auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    if (auto integer = node.value_exact<std::int64_t>()) return std::to_string(*integer);
    auto real = node.value_exact<double>();
    if (!real || !std::isfinite(*real))
        throw UserError(
            at(file, node.source(), name + " wants a finite number, a word, true or false"));
    char buffer[32];
    auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, *real);
    return {buffer, end};
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
            if (name == "render" && setting != "renderer" && setting != "builder") {
                context.scene.warnings.push_back(at(context.file, value.source(),
                                                    "unknown key '" + std::string(setting.str()) +
                                                        "' in [render]; known: renderer, builder"));
                continue;
            }
            std::string title = "[" + name + "] " + std::string(setting.str());
            context.scene.settings[name][std::string(setting.str())] =
                setting_text(context.file, title, value);
        }
    }
}

/// Reads the duration; it is 0 if nothing moves, regardless of the file.
void read_duration(Scene& scene, TomlTable& root) {
    constexpr double kDefault = 6;  // seconds
    auto moves = [](const auto& mesh) { return mesh.animation.kind != AnimationKind::none; };
    auto walks = [](const Instance& instance) { return instance.walk.radius != 0; };
    double otherwise = scene.duration > 0 ? double(scene.duration) : kDefault;
    auto duration = static_cast<float>(root.number("duration", otherwise, 1e-3, 1e6));
    bool any = std::ranges::any_of(scene.meshes, moves) ||
               std::ranges::any_of(scene.patches, moves) ||
               std::ranges::any_of(scene.instances, walks);
    scene.duration = any ? duration : 0;
}

toml::table parse(const std::string& path) {
    std::string text = read_text_file(path, kLargestSceneFile);
    try {
        return toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        throw UserError(at(path, error.source(), std::string(error.description())));
    }
}

SceneGaps read_root(TomlContext& context, const toml::table& source) {
    Scene& scene = context.scene;
    TomlTable root(source, "the scene file", context.file);
    SceneGaps gaps;
    if (root.number("version", 1, -1e18, 1e18) != 1)
        root.fail("version", "this program reads version 1 of scene files");
    scene.name = root.text("name", scene.name);
    read_environment(context, root);
    gaps.lights = root.flag("default-lights", true) && scene.environment.empty();

    for_each_table(context, root, "material", [&](auto& t) { read_material(context, t); });
    for_each_table(context, root, "light", [&](auto& t) { read_light(context, t); });
    if (auto* camera = find_table(root, "camera")) gaps.camera = !read_camera(context, *camera);

    // Generators add lights and place the camera if the file does not.
    context.generators_add_lights = scene.lights.empty() && gaps.lights;
    context.generators_set_camera = !source.contains("camera");
    for_each_table(context, root, "mesh", [&](auto& t) { read_mesh(context, t); });
    for_each_table(context, root, "patches", [&](auto& t) { read_patches(context, t); });
    for_each_table(context, root, "sphere", [&](auto& t) { read_sphere(context, t); });
    for_each_table(context, root, "generate", [&](auto& t) {
        read_generate(context, t);
        gaps.camera = gaps.camera && context.generators_set_camera;
    });
    for_each_table(context, root, "instances", [&](auto& t) { read_instances(context, t); });
    read_duration(scene, root);
    scene.background = root.color("background", scene.background, 0, kBrightest);
    read_settings(context, root, source);
    root.warn_about_unknown_keys(scene.warnings);
    return gaps;
}

}  // namespace

SceneGaps read_toml_scene(Scene& scene, const std::string& path) {
    toml::table source = parse(path);
    scene.name = std::filesystem::path(path).stem().string();
    TomlContext context{.scene = scene,
                        .file = path,
                        .folder = std::filesystem::path(path).parent_path(),
                        .materials = {{"default", 0}}};
    return read_root(context, source);
}

}  // namespace tl
