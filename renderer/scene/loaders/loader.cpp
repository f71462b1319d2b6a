#include "renderer/scene/loaders/loader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "renderer/scene/framing.h"
#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/loaders/model_files.h"
#include "renderer/scene/loaders/ply/ply_header.h"
#include "renderer/scene/loaders/points/xyz_loader.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/reflectance.h"
#include "renderer/scene/toml/toml_scene.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

/// Adds the geometry of a call such as "terrain,triangles=1000,seed=2".
void add_generated(Scene& scene, std::string_view call) {
    auto take_part = [&] {
        auto comma = call.find(',');
        auto part = trimmed(call.substr(0, comma));
        call = comma == std::string_view::npos ? std::string_view{} : call.substr(comma + 1);
        return part;
    };
    scene.name = std::string(take_part());
    GeneratorParameters parameters;
    while (!call.empty()) {
        auto part = take_part();
        auto equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0)
            throw UserError("generate:" + scene.name + ": '" + std::string(part) +
                            "' is not of the form key=value");
        parameters[std::string(trimmed(part.substr(0, equals)))] =
            std::string(trimmed(part.substr(equals + 1)));
    }
    generate(scene, scene.name, parameters);
}

/// Guesses the type of a file with an unknown ending by its first conclusive line.
std::string ending_by_content(const std::string& path, const ReadContext& context) {
    std::string text = read_text_file(path, context);
    if (is_ply(text)) return ".ply";
    if (text.starts_with("glTF")) return ".glb";
    if (text.starts_with("LASF")) return ".las";
    if (trimmed(text).starts_with('{')) return ".gltf";
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = std::min(text.find('\n', begin), text.size());
        auto line = trimmed(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
        if (line.empty() || line.starts_with('#')) continue;
        for (auto* keyword : {"v ", "vn ", "vt ", "o ", "g ", "s ", "mtllib ", "usemtl "})
            if (line.starts_with(keyword)) return ".obj";
        if (is_xyz_line(line)) return ".xyz";
        if (line.starts_with("//") || number_in<std::uint64_t>(line))
            continue;  // a count of points
        if (line.starts_with('[') || line.find('=') != std::string_view::npos) return ".toml";
        break;
    }
    throw UserError(path + ": unknown kind of scene; known endings: " + joined(scene_extensions()) +
                    ", or generate:NAME");
}

bool has_nothing_to_show(const Scene& scene) {
    auto has_surface = [](const Light& light) {
        return light.kind == LightKind::sphere || light.kind == LightKind::rectangle;
    };
    return scene.has_no_geometry() && scene.gaussians.empty() && scene.environment.empty() &&
           std::ranges::none_of(scene.lights, has_surface);
}

/// Adds a key light from the left above the viewer's shoulder and a fill light from the right.
void add_default_lights(Scene& scene) {
    const Camera& camera = scene.camera;
    vec3 forward = glm::normalize(camera.target - camera.eye);
    vec3 right = glm::normalize(glm::cross(forward, camera.up));
    vec3 up = glm::cross(right, forward);
    add_directional_light(scene, forward + 0.6f * right - 0.8f * up, vec3(2.3f, 2.2f, 2.05f));
    add_directional_light(scene, forward - 0.9f * right - 0.1f * up, vec3(0.5f, 0.55f, 0.65f));
    scene.default_lights = true;
}

/// Options of the reader of a file.
struct Wanted {
    bool default_lights = true;
    bool may_have_base = true;  ///< a scene file may name another scene
};

/// Adds the contents of a file; returns what it does not specify.
SceneGaps add_file(SceneDocument& document, const std::string& name, const Wanted& wanted,
                   const ReadContext& context) {
    Scene& scene = *document.scene();
    std::string path = is_shared_name(name) ? resolve_file(name, {}, context).string() : name;
    std::error_code error;
    if (auto meant = shared_name_of(name, context); !meant.empty() && !fs::exists(path, error))
        throw UserError(path + ": no such file; did you mean '" + meant + "'?");
    document.path = scene.path = path;
    std::string ending = lower_case(fs::path(path).extension().string());
    bool has_reader = is_model_extension(ending);  // its own error for an empty file is better
    if (!has_reader && regular_file_size(path, context) == 0)
        throw UserError(path + ": is empty; name a scene that has something to show");
    if (ending != ".toml" && !has_reader) ending = ending_by_content(path, context);
    if (ending == ".toml")
        return read_toml_scene(document, path, wanted.may_have_base, wanted.default_lights,
                               context);
    scene.name = fs::path(path).stem().string();
    scene.background = vec3(0.1f, 0.11f, 0.13f);
    return add_model(scene, path, ending, {.materials = true, .view = true}, context);
}

/// Adds what a scene does not specify.
void fill_gaps(Scene& scene, const std::string& name, const SceneGaps& gaps) {
    const Box bounds = bounds_of(scene);
    note_offset(scene, bounds);
    if (gaps.camera) {
        // A little from the right and from above shows more of a model than its front alone.
        Camera& camera = scene.camera;
        camera.target = vec3(0);
        float up = glm::normalize(camera.up).y;
        camera.eye = up > 0.5f    ? vec3(0.45f, 0.35f, 1)
                     : up < -0.5f ? vec3(0.45f, -0.35f, -1)
                                  : vec3(0.45f, -1, 0.35f);
        frame_all(camera, framing_bounds(scene), 4.0f / 3);
    }
    if (auto fault = camera_fault(scene.camera); !fault.empty())
        throw UserError(
            name + ": no camera can be placed that shows all of it: " + fault +
            "; bring its parts closer to the origin, or place a camera in a scene file");
    if (gaps.lights && scene.lights.empty()) add_default_lights(scene);
}

SceneDocument load(const std::string& name, const Wanted& wanted, const ReadContext& context) {
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    SceneDocument document{.edited = EditedScene(scene)};
    SceneGaps gaps;
    if (name.starts_with(kGeneratePrefix)) {
        add_generated(*scene, std::string_view(name).substr(kGeneratePrefix.size()));
        gaps = {.camera = false, .lights = true};
    } else {
        gaps = add_file(document, name, wanted, context);
    }
    if (!document.base.empty()) return document;  // a file that names another scene is complete
    document.default_lights = wanted.default_lights;
    document.base = is_file_name(name) ? absolute_path(name).string() : name;
    document.base_settings = document.scene()->settings;
    document.base_name = document.scene()->name;
    gaps.lights = gaps.lights && document.default_lights;
    fill_gaps(*document.scene(), name, gaps);
    auto edits = document.edited.edits();
    edits.marks = document.base_marks;
    (void)document.edited.apply(edits);
    return document;
}

}  // namespace

const std::vector<std::string>& scene_extensions() {
    static const std::vector<std::string> extensions = [] {
        std::vector<std::string> all = model_extensions();
        all.insert(all.begin(), ".toml");
        return all;
    }();
    return extensions;
}

SceneDocument load_document(const std::string& name, const std::string& environment,
                            bool allow_outside, const ReadObserver& observer) {
    const SceneAccess access(is_shared_name(name) ? model_folder() / "any" : fs::path(name),
                             allow_outside);
    const ReadContext context{observer, &access};
    auto document = load(name, {.default_lights = environment.empty()}, context);
    if (!environment.empty()) {
        auto edits = document.edited.edits();
        edits.environment = {absolute_path(environment).string()};
        (void)document.edited.apply(edits, nullptr, context);
    }
    auto& scene = *document.scene();
    warn_about_reflectance(scene, name);
    if (has_nothing_to_show(scene))
        scene.warnings.push_back(name + " is empty: there is nothing to show but its background");
    return document;
}

Scene load_scene(const std::string& name, const std::string& environment, bool allow_outside,
                 const ReadObserver& observer) {
    return std::move(*load_document(name, environment, allow_outside, observer).scene());
}

SceneDocument load_base(const std::string& name, bool default_lights, const ReadContext& context) {
    return load(name, {.default_lights = default_lights, .may_have_base = false}, context);
}

void require_scene_file(const std::string& name) {
    if (name.starts_with(kGeneratePrefix)) return;
    (void)regular_file_size(is_shared_name(name) ? resolve_file(name, {}, {}).string() : name);
}

}  // namespace tl
