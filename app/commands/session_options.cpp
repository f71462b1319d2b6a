#include "app/commands/commands.h"

#include "accel/parallel/error.h"
#include "accel/parallel/text.h"
#include "app/commands/value_option.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

/// Parses "1280x720"; width and height are 1 to 16384.
std::string parse_size(const std::string& text, Extent& size) {
    int width = 0, height = 0, used = 0;
    if (std::sscanf(text.c_str(), "%5dx%5d%n", &width, &height, &used) != 2 ||
        used != static_cast<int>(text.size()) || width < 1 || height < 1 || width > 16384 ||
        height > 16384)
        return "'" + text + "' is not a size: WIDTHxHEIGHT, each from 1 to 16384";
    size = {width, height};
    return "";
}

}  // namespace

void add_setting_flag(CLI::App& command, const std::string& section, const Setting& setting,
                      std::shared_ptr<void> owner, std::map<std::string, std::string>& given) {
    std::string key = section + "." + setting.id;
    std::string help = setting.help + " (" + setting.accepts() + ")";
    command
        .add_option_function<std::string>(
            "--" + section + "-" + setting.id,
            [&given, key](const std::string& text) { given[key] = text; }, help)
        ->check(CLI::Validator(
            [setting, owner](std::string& text) -> std::string {
                try {
                    Setting(setting).set(text);
                    return "";
                } catch (const UserError& error) {
                    return error.what();
                }
            },
            ""))
        ->default_str(setting.default_text)
        ->type_name("")
        ->group("Settings");
}

namespace {

/// Adds the flags of the sections for which `wanted` is true.
void add_section_flags(CLI::App& command, std::map<std::string, std::string>& given,
                       bool (*wanted)(SectionKind)) {
    auto all = std::make_shared<AllSettings>();
    for (auto& section : all->sections())
        for (auto& setting : section.settings)
            if (wanted(section.kind)) add_setting_flag(command, section.id, setting, all, given);
}

}  // namespace

void add_tree_setting_flags(CLI::App& command, std::map<std::string, std::string>& given) {
    add_section_flags(command, given, [](SectionKind kind) {
        return kind == SectionKind::builder || kind == SectionKind::tree;
    });
}

void add_size_option(CLI::App& command, Extent& size) {
    command
        .add_option_function<std::string>(
            "--size",
            [&size](const std::string& text) {
                if (auto error = parse_size(text, size); !error.empty())
                    throw CLI::ValidationError("--size", error);
            },
            "picture size, pixels")
        ->type_name("WxH")
        ->default_str(std::to_string(size.width) + "x" + std::to_string(size.height));
}

void add_device_option(CLI::App& command, std::string& device) {
    add_value(command, "--device", device, "ID", "auto (CUDA where there is one), cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

void add_outside_option(CLI::App& command, bool& allow_outside) {
    command.add_flag("--allow-outside", allow_outside,
                     "let the scene read files outside of its folder; for scenes that you trust");
}

void add_session_options(CLI::App& command, SessionOptions& o) {
    command.add_option("scene,--scene", o.scene,
                       "scene file (" + joined(scene_extensions()) +
                           "), generate:NAME[,key=value...] or model:NAME");
    add_outside_option(command, o.allow_outside);
    command
        .add_option("--renderer", o.renderer,
                    "one of " + ids_of(renderers()) + "; default: the scene's, else whitted")
        ->type_name("ID");
    command
        .add_option("--builder", o.builder,
                    "one of " + ids_of(tree_builders()) + "; default: the scene's, else hploc")
        ->type_name("ID");
    add_device_option(command, o.device);
    add_size_option(command, o.size);
    add_value(command, "--seed", o.seed, "K",
              "seed of the random numbers: same seed, same picture");
    auto add_vector = [&](const char* flag, std::vector<float>& v, const char* help) {
        command.add_option(flag, v, help)->expected(3)->delimiter(',')->type_name("X,Y,Z");
    };
    add_vector("--eye", o.eye, "camera position; default: the scene's");
    add_vector("--target", o.target, "point that the camera looks at; default: the scene's");
    add_vector("--up", o.up, "camera's up direction; default: the scene's");
    command.add_option("--fov", o.fov, "vertical field of view; default: the scene's")
        ->type_name("DEGREES")
        ->check(between(kNarrowestFov, kWidestFov));
    command
        .add_option(
            "--lens-radius", o.lens_radius,
            "radius of the camera's thin lens; 0: a pinhole, all is sharp; default: the scene's")
        ->type_name("LENGTH")
        ->check(between(0.0f, 1e6f));
    command
        .add_option("--focus-distance", o.focus_distance,
                    "distance of the plane in focus; 0: the target's; default: the scene's")
        ->type_name("LENGTH")
        ->check(between(0.0f, 1e9f));
    command
        .add_option("--environment", o.environment,
                    "map of the light from all around, .hdr or .exr; default: the scene's")
        ->type_name("FILE");
    add_value(command, "--time", o.time, "SECONDS",
              "moment of a scene that moves; its motion repeats")
        ->check(between(0.0f, 1e6f));
    add_section_flags(command, o.settings, [](SectionKind) { return true; });
}

void apply_options(Session& session, const SessionOptions& o) {
    if (!o.renderer.empty() && o.renderer != session.renderer_id())
        session.set_renderer(o.renderer);
    if (!o.builder.empty() && o.builder != session.builder_id()) session.set_builder(o.builder);
    for (auto& [key, value] : o.settings) {
        auto dot = key.find('.');
        session.set_setting(key.substr(0, dot), key.substr(dot + 1), value);
    }
    auto set = [](vec3& to, const std::vector<float>& v) {
        if (v.size() == 3) to = vec3(v[0], v[1], v[2]);
    };
    set(session.camera.eye, o.eye);
    set(session.camera.target, o.target);
    set(session.camera.up, o.up);
    if (o.fov > 0) session.camera.vertical_fov = o.fov;
    if (o.lens_radius >= 0) session.camera.lens_radius = o.lens_radius;
    if (o.focus_distance >= 0) session.camera.focus_distance = o.focus_distance;
    session.time = o.time;
    // The scene's own camera has been checked, so the flags are at fault.
    if (auto fault = camera_fault(session.camera); !fault.empty())
        throw UsageError("--eye, --target, --up, --fov: " + fault);
}

std::unique_ptr<Session> make_empty_session(const SessionOptions& o) {
    auto session = std::make_unique<Session>(find_device(o.device));
    session->seed = o.seed;
    if (!o.renderer.empty()) session->set_renderer(o.renderer);
    if (!o.builder.empty()) session->set_builder(o.builder);
    session->resize(o.size);
    return session;
}

SceneDocument open_document(Session& session, const SessionOptions& o) {
    auto document = load_document(o.scene, o.environment, o.allow_outside);
    session.set_scene(document.scene());
    apply_options(session, o);
    return document;
}

std::unique_ptr<Session> make_session(const SessionOptions& o) {
    // Unknown ids are reported before a large scene is read.
    auto session = make_empty_session(o);
    (void)open_document(*session, o);
    return session;
}

}  // namespace tl
