#include "renderer/scene/toml/toml_geometry.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/near_match.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/export/point_export.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/loaders/model_files.h"
#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/toml/toml_points.h"

namespace tl {
namespace {

/// Stops the motion of parts that are merged into one mesh but would move separately.
void stop_parts(TomlContext& context, TomlTable& table, std::size_t first) {
    auto parts = std::span(context.scene.meshes).subspan(first);
    auto moves = [](const Mesh& mesh) { return mesh.animation.kind != AnimationKind::none; };
    if (parts.size() < 2 || table.has("animation") || std::ranges::none_of(parts, moves)) return;
    for (auto& mesh : parts) {
        mesh.animation = {};
        mesh.frames.clear();
    }
    context.scene.warnings.push_back(at(
        context.file, table.find("instanced")->source(),
        "its parts move each on its own, which copies cannot: they stand still; 'animation' moves "
        "all of it"));
}

/// If the table has `instanced`, merges the meshes since `mark` into one that [[instances]] may
/// name.
void mark_instanced(TomlContext& context, TomlTable& table, const SceneMark& mark,
                    const std::string& name) {
    if (!table.flag("instanced", false)) return;
    Scene& scene = context.scene;
    if (name.empty()) table.fail("instanced", "an instanced mesh needs a 'name'");
    if (scene.spheres.size() > mark.spheres || scene.splats.size() > mark.splats ||
        scene.instances.size() > mark.instances || scene.patches.size() > mark.patches)
        table.fail("instanced",
                   "only triangles can be instanced, not spheres, splats, patches or instances");
    auto index = static_cast<std::uint32_t>(mark.meshes);
    if (!context.instanced_meshes.emplace(name, index).second)
        table.fail("name", "a second instanced mesh '" + name + "'; give it another name");
    stop_parts(context, table, mark.meshes);
    merge_meshes(scene, mark.meshes);
    scene.meshes[mark.meshes].name = name;
    scene.meshes[mark.meshes].instanced = true;
}

/// Whether a table has added spheres or splats.
bool has_points(const Scene& scene, const SceneMark& mark) {
    return scene.spheres.size() > mark.spheres || scene.splats.size() > mark.splats;
}

void set_material_of_points(Scene& scene, const SceneMark& mark, std::int32_t material) {
    for (auto& sphere : std::span(scene.spheres).subspan(mark.spheres)) sphere.material = material;
    for (auto& splat : std::span(scene.splats).subspan(mark.splats)) splat.material = material;
}

/// Offset that is subtracted from a table's geometry; 0 for an instanced mesh, which has a space of
/// its own.
glm::dvec3 offset_of(const TomlContext& context, TomlTable& table) {
    return table.flag("instanced", false) ? glm::dvec3(0) : context.offset;
}

/// Replaces the surfaces since `mark` by as many sample points as the key `sample` says, if the
/// table has it. Returns whether it does.
bool sample_as_points(TomlContext& context, TomlTable& table, const SceneMark& mark,
                      std::int32_t material) {
    constexpr double kMostPoints = 1e7;
    auto* node = table.find("sample");
    if (!node) return false;
    Scene& scene = context.scene;
    double wanted = table.number("sample", 0, 1, kMostPoints);
    if (!node->is_integer()) table.fail("sample", "wants a whole number of points");
    if (table.has("animation"))
        table.fail("sample", "points do not move; leave out 'animation' or 'sample'");
    auto moves = [](auto& part) { return part.animation.kind != AnimationKind::none; };
    if (std::any_of(scene.meshes.begin() + static_cast<std::ptrdiff_t>(mark.meshes),
                    scene.meshes.end(), moves) ||
        std::any_of(scene.patches.begin() + static_cast<std::ptrdiff_t>(mark.patches),
                    scene.patches.end(), moves))
        table.fail("sample", "points do not move, but these surfaces do; leave out 'sample'");
    auto n = static_cast<std::size_t>(wanted);
    SurfaceSamples samples = sample_scene_since(scene, mark, n);
    if (samples.positions.empty()) table.fail("sample", "there is no area to put points on");
    scene.meshes.resize(mark.meshes);
    scene.patches.resize(mark.patches);
    scene.spheres.resize(mark.spheres);
    scene.splats.resize(mark.splats);
    scene.instances.resize(mark.instances);
    PointCloud cloud;
    for (vec3 place : samples.positions) cloud.positions.emplace_back(place);
    cloud.normals = std::move(samples.normals);
    cloud.areas.assign(samples.positions.size(),
                       static_cast<float>(samples.area / static_cast<double>(n)));
    if (material < 0) {  // the surfaces keep their own colours and emission
        for (vec3 color : samples.colors)
            cloud.colors.emplace_back(srgb_from_linear(color.x), srgb_from_linear(color.y),
                                      srgb_from_linear(color.z));
        cloud.emission = std::move(samples.emission);
    }
    // Assumed size of a file, large enough for all of the points.
    constexpr std::size_t kBytesOfPoint = 64;
    glm::dvec3 before = std::exchange(scene.offset, glm::dvec3(0));
    add_cloud(scene, std::move(cloud), context.file, kBytesOfPoint * n, material < 0,
              context.reading.progress);
    glm::dvec3 moved = std::exchange(scene.offset, before);
    if (moved != glm::dvec3(0)) apply({}, scene, mark, false, moved);
    if (material >= 0) set_material_of_points(scene, mark, material);
    return true;
}

}  // namespace

void note_name(TomlContext& context, TomlTable& table, ItemKind kind, std::size_t index) {
    auto name = table.text("name", "");
    if (!name.empty()) context.names[{kind, static_cast<std::uint32_t>(index)}] = name;
}

void check_place(vec3 p, const TomlTable& table, const char* key) {
    for (int axis = 0; axis < 3; ++axis)
        if (!(std::abs(double(p[axis])) <= kLargestCoordinate))
            table.fail(key, "scaled and moved, its coordinates are beyond 1e15");
}

void check_places(const Scene& scene, const SceneMark& mark, const TomlTable& table,
                  const char* key) {
    for (auto& mesh : std::span(scene.meshes).subspan(mark.meshes))
        for (auto& p : mesh.positions) check_place(p, table, key);
    for (auto& set : std::span(scene.patches).subspan(mark.patches))
        for (auto& p : set.points) check_place(p, table, key);
    for (auto& sphere : std::span(scene.spheres).subspan(mark.spheres))
        check_place(sphere.center, table, key);
    for (auto& splat : std::span(scene.splats).subspan(mark.splats))
        check_place(splat.center, table, key);
    for (auto& set : std::span(scene.gaussians).subspan(mark.gaussians))
        for (auto& center : set.centers) check_place(center, table, key);
}

/// Reads GaussianSet::shadowed for the Gaussians that were added since `mark`.
void read_shadowed(Scene& scene, const SceneMark& mark, TomlTable& table) {
    auto added = std::span(scene.gaussians).subspan(mark.gaussians);
    if (added.empty() && table.has("shadowed"))
        table.fail("shadowed", "is for files of Gaussians alone");
    float shadowed = table.real("shadowed", GaussianSet{}.shadowed, 0, 1);
    for (auto& set : added) set.shadowed = shadowed;
}

FileName read_file_name(const TomlContext& context, TomlTable& table) {
    try {
        auto path = resolve_file(table.text("file", ""), context.folder, context.reading);
        return {path.string(), lower_case(path.extension().string())};
    } catch (const UserError& error) {
        table.fail("file", error.what());
    }
}

Transform read_transform(TomlTable& table) {
    Transform transform;
    transform.scale = table.spread("scale", vec3(1), -1e9, 1e9);
    for (int k = 0; k < 3; ++k)
        if (std::abs(transform.scale[k]) < 1e-9f)
            table.fail("scale", "a scale of 0 leaves nothing");
    transform.rotate = table.vector("rotate", vec3(0));
    transform.translate = table.wide_vector("translate");
    return transform;
}

Transform read_transform(TomlTable& table, const glm::dvec3& offset) {
    Transform transform = read_transform(table);
    transform.translate -= offset;
    return transform;
}

std::int32_t find_material(const TomlContext& context, const TomlTable& table,
                           const std::string& name) {
    auto found = context.materials.find(name);
    if (found != context.materials.end()) return found->second;
    table.fail("material", "no material '" + name + "'" +
                               known_names(name, std::views::keys(context.materials)) +
                               "; define it with [[material]]");
}

std::int32_t read_material_name(TomlContext& context, TomlTable& table, std::int32_t fallback) {
    std::string name = table.text("material", "");
    return table.has("material") ? find_material(context, table, name) : fallback;
}

void read_mesh(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[mesh]]", context.file);
    Scene& scene = context.scene;
    SceneMark mark(scene);
    const glm::dvec3 offset = offset_of(context, table);
    bool from_file = table.find("file") != nullptr;
    std::int32_t material = read_material_name(context, table, -1);
    std::string name = table.text("name", "");
    if (from_file) {
        auto [path, ending] = read_file_name(context, table);
        std::string file = table.text("file", "");
        if (is_patch_extension(ending))
            table.fail("file", "'" + file + "' holds patches; name it in [[patches]]");
        if (!is_model_extension(ending))
            table.fail("file", "'" + file + "' is not a mesh that can be read; known: " +
                                   joined(model_extensions()));
        const ModelParts parts{.materials = material < 0,
                               .drop_outliers = table.flag("drop-outliers", false),
                               .gaussians = table.flag("gaussians", true),
                               .radiosity = table.flag("radiosity", true)};
        if (!context.models.add(scene, file, parts)) {
            add_model(scene, path, ending, parts, context.reading);
            read_shadowed(scene, mark, table);
            context.models.keep(scene, mark, file, parts);
        }
        if (!table.has("sample")) show_points(context, table, mark);
    } else {
        scene.meshes.push_back(read_own_mesh(scene, table, std::max(material, 0)));
    }
    glm::dvec3 own_offset = std::exchange(scene.offset, glm::dvec3(0));
    Transform transform = read_transform(table, offset);
    if (has_points(scene, mark) && !transform.is_uniform())
        table.fail("scale",
                   "the file has points, shown as spheres or splats, which take one scale for all "
                   "axes");
    apply(transform, scene, mark, false, own_offset);
    check_places(scene, mark, table, from_file ? "file" : "positions");
    read_animation(context, table, mark, offset);
    for (auto& mesh : std::span(scene.meshes).subspan(mark.meshes)) {
        if (material >= 0) std::ranges::fill(mesh.material_of_triangle, material);
        if (!name.empty()) mesh.name = name;
    }
    if (material >= 0) set_material_of_points(scene, mark, material);
    if (sample_as_points(context, table, mark, material)) show_points(context, table, mark);
    read_emission_of_points(context, table, mark);
    mark_instanced(context, table, mark, name);
    table.warn_about_unknown_keys(scene.warnings);
}

void read_sphere(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[sphere]]", context.file);
    Sphere sphere;
    sphere.center = table.place("center", vec3(-context.offset), context.offset);
    sphere.radius = table.real("radius", 1, 1e-9, kLargestCoordinate);
    sphere.material = read_material_name(context, table, 0);
    note_name(context, table, ItemKind::sphere, context.scene.spheres.size());
    context.scene.spheres.push_back(sphere);
    table.warn_about_unknown_keys(context.scene.warnings);
}

void read_generate(TomlContext& context, const toml::table& source) {
    TomlTable table(source, "[[generate]]", context.file);
    Scene& scene = context.scene;
    SceneMark mark(scene);
    table.require("kind");
    std::string kind = table.text("kind", "");
    std::int32_t material = read_material_name(context, table, -1);
    std::string title = table.text("name", "");
    bool instanced = table.flag("instanced", false);
    const glm::dvec3 offset = offset_of(context, table);
    Transform transform = read_transform(table, offset);

    GeneratorParameters parameters;
    for (auto& [key, node] : source) {
        auto name = key.str();
        constexpr std::string_view kOwn[] = {"kind",   "material",  "name",      "scale",
                                             "rotate", "translate", "instanced", "animation",
                                             "sample", "emission"};
        if (std::ranges::find(kOwn, std::string_view(name)) != std::end(kOwn)) continue;
        auto text = scalar_text(node);
        if (!text)
            throw UserError(at(context.file, node.source(),
                               "a generator's parameter is one number, word or flag"));
        parameters[std::string(name)] = *text;
    }
    Camera camera = scene.camera;
    vec3 background = scene.background;
    try {
        generate(scene, kind, parameters);
    } catch (const UserError& error) {
        table.fail("kind", error.what());
    }
    if (has_points(scene, mark) && !transform.is_uniform())
        table.fail("scale",
                   "'" + kind + "' has spheres or splats, which take one scale for all axes");
    // Instanced geometry adds no lights and no camera.
    bool keep_camera = instanced || !context.generators_set_camera;
    if (instanced || !context.generators_add_lights) {
        scene.lights.resize(mark.lights);
        scene.background = background;
    }
    if (keep_camera) scene.camera = camera;
    apply(transform, scene, mark, !keep_camera);
    check_places(scene, mark, table, "kind");
    read_animation(context, table, mark, offset);

    if (material >= 0) {
        for (auto& mesh : std::span(scene.meshes).subspan(mark.meshes))
            std::ranges::fill(mesh.material_of_triangle, material);
        for (auto& set : std::span(scene.patches).subspan(mark.patches))
            std::ranges::fill(set.material_of_patch, material);
        set_material_of_points(scene, mark, material);
        for (auto& instance : std::span(scene.instances).subspan(mark.instances))
            instance.material = -1;
        scene.materials.resize(mark.materials);
    }
    sample_as_points(context, table, mark, material);
    read_emission_of_points(context, table, mark);
    mark_instanced(context, table, mark, title);
    if (!keep_camera) context.generators_set_camera = false;
    if (scene.lights.size() > mark.lights) context.generators_add_lights = false;
}

}  // namespace tl
