// `treelight export`: writes a scene as binary glTF for other programs, as a scene file, as points
// on its surfaces, or as the light at such points.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/illumination_saving.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/output.h"
#include "app/jobs/scene_saving.h"
#include "app/jobs/scene_warnings.h"
#include "app/jobs/terminal_progress.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/export/gltf_export.h"
#include "renderer/scene/export/point_export.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/settings_sections.h"
#include "session/session_options.h"

namespace tl {
namespace {

struct ExportOptions {
    std::string scene, output = "scene.glb";
    bool allow_outside = false;
    std::optional<float> time;                      ///< of the moment that is written, seconds
    std::optional<std::size_t> n_points{};          ///< points on surfaces, instead of the surfaces
    std::optional<std::uint64_t> seed{};            ///< seed of the points; none: 1
    bool illumination = false;                      ///< light at points, instead of the scene
    std::string device;                             ///< that the light is found on; "": auto
    std::map<std::string, std::string> settings{};  ///< as SessionOptions::settings
};

/// Whether the light at points, or the colours that it is shown by, depend on a setting.
bool is_of_illumination(const std::string& section, const std::string& id) {
    return section == "radiosity" || (section == "film" && ToneMap::declared_settings().find(id));
}

/// Throws UsageError where options belong to another kind of export than that of light.
void check_illumination(const ExportOptions& o, const std::string& ending) {
    if (!o.illumination && !o.settings.empty()) {
        auto key = o.settings.begin()->first;
        std::ranges::replace(key, '.', '-');
        throw UsageError("--" + key + " is for --illumination");
    }
    if (!o.illumination && !o.device.empty()) throw UsageError("--device is for --illumination");
    if (!o.illumination) return;
    if (ending != ".ply") throw UsageError("'" + o.output + "': --illumination is written as .ply");
    if (o.n_points)
        throw UsageError(
            "--points is without --illumination, whose points are as many as "
            "--radiosity-points says");
    if (o.seed)
        throw UsageError(
            "--seed is for --points: the points of --illumination are always the same");
}

/// Checks before a long load that the file can be written. Returns its extension.
std::string check_output(const ExportOptions& o) {
    auto ending = lower_case(std::filesystem::path(o.output).extension().string());
    if (ending != ".glb" && ending != ".toml" && ending != ".ply")
        throw UsageError("'" + o.output +
                         "': scenes are exported as binary glTF, as scene files or as points; name "
                         "it .glb, .toml or .ply");
    check_illumination(o, ending);
    if (!o.illumination && o.n_points.has_value() != (ending == ".ply"))
        throw UsageError(ending == ".ply" ? "'" + o.output +
                                                "': a .ply is written of points; say how many, "
                                                "--points 100000, or --illumination"
                                          : "'" + o.output + "': --points are written as .ply");
    if (ending == ".toml" && o.time)
        throw UsageError("--time is for glTF: a scene file has the whole motion");
    require_writable(o.output);
    return ending;
}

void export_scene_file(const ExportOptions& o) {
    auto document = load_document(o.scene, "", o.allow_outside);
    auto& scene = *document.scene();
    print_warnings(scene.warnings.lines());
    auto settings = settings_to_save(scene, document.base_settings);
    for (auto& warning : save_scene(document, scene.camera, settings, o.output))
        print_warning(warning);
    print("%s: refers to %s\n", o.output.c_str(), document.base.c_str());
}

void export_points(const ExportOptions& o) {
    Scene scene = load_scene(o.scene, "", o.allow_outside);
    print_warnings(scene.warnings.lines());
    SurfaceSamples samples;
    {
        constexpr int kSteps = 1000;
        TerminalProgress bar("thousandths of the points", kSteps);
        InterruptFlag interrupt;
        auto show = [&](double share) {
            bar.show(static_cast<int>(share * kSteps));
            if (interrupt.is_set()) throw UserError("stopped by Ctrl+C; nothing is written");
        };
        samples = sample_scene(
            scene, {.n_points = *o.n_points, .seed = o.seed.value_or(1), .time = o.time}, show);
    }
    std::size_t n_bytes = write_ply_points(o.output, samples, scene.offset);
    print("%s: %zu points on %.6g m^2, no two on the same side closer than %.4g m; %.1f MB\n",
          o.output.c_str(), samples.positions.size(), samples.area,
          static_cast<double>(samples.distance), static_cast<double>(n_bytes) / 1e6);
}

void export_illumination(const ExportOptions& o) {
    SessionOptions options;
    options.scene = o.scene;
    options.renderer = "radiosity";
    options.device = o.device.empty() ? "auto" : o.device;
    options.allow_outside = o.allow_outside;
    options.time = o.time.value_or(0);
    options.settings = o.settings;
    options.size = {1, 1};  // the light at points does not depend on the picture
    auto session = make_session(options);
    print_scene_warnings(*session);
    auto start = std::chrono::steady_clock::now();
    session->begin_frame();
    session->render_frame();
    session->end_frame();
    auto saved = save_illumination(*session, o.output);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    auto report = session->inspection().transport()->transport_report();
    print("%s: light at %zu points after %zu %s, in %.2f s on %s; %.1f MB\n", o.output.c_str(),
          saved.n_points, report.bounces.size(), plural(report.bounces.size(), "bounce").c_str(),
          seconds.count(), session->device().name().c_str(),
          static_cast<double>(saved.n_bytes) / 1e6);
    if (report.ended_early() && report.most_bounces > 0)
        print_warning(
            formatted("the last of %zu bounces still brought %.2g of all light; "
                      "--radiosity-bounces allows more",
                      report.bounces.size(), report.last_share()));
}

void export_scene(const ExportOptions& o) {
    if (o.scene.empty())
        throw UsageError("export needs a scene: treelight export SCENE -o scene.glb");
    auto ending = check_output(o);
    if (ending == ".toml") return export_scene_file(o);
    if (o.illumination) return export_illumination(o);
    if (ending == ".ply") return export_points(o);
    Scene scene = load_scene(o.scene, "", o.allow_outside);
    print_warnings(scene.warnings.lines());
    GltfExportReport report;
    {
        std::optional<TerminalProgress> bar;
        InterruptFlag interrupt;
        auto show = [&](int done, int total) {
            if (!bar) bar.emplace("objects", total);
            bar->show(done);
            return !interrupt.is_set();
        };
        report = export_gltf(scene, o.output, show, o.time);
    }
    for (auto& warning : report.warnings) print_warning(o.output + ": " + warning);
    print("%s: %zu triangles in meshes: %d, nodes: %d, images: %d; %.1f MB\n", o.output.c_str(),
          report.n_triangles, report.n_meshes, report.n_nodes, report.n_images,
          static_cast<double>(report.n_bytes) / 1e6);
}

}  // namespace

void add_export_command(CLI::App& program) {
    auto options = std::make_shared<ExportOptions>();
    auto* command = program.add_subcommand(
        "export",
        "Write a scene as binary glTF for other programs, as a scene file, as points, or as light "
        "at points");
    add_scene_option(*command, options->scene);
    add_outside_option(*command, options->allow_outside);
    add_value(*command, "-o,--output", options->output, "FILE",
              "glTF 2.0 with meshes, materials, textures, camera and lights, .glb; or a scene file "
              "that refers to SCENE, to be changed by hand, .toml; or with --points or "
              "--illumination a cloud, .ply");
    command
        ->add_option("--points", options->n_points,
                     "so many points on the surfaces, spread evenly, with normals, colours and "
                     "areas, in place of the scene")
        ->type_name("N")
        ->check(between(std::size_t{1}, std::size_t{100'000'000}));
    command->add_option("--seed", options->seed, "with --points: another number gives other points")
        ->type_name("N")
        ->check(between(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
    command->add_flag("--illumination", options->illumination,
                      "the light at points of the surfaces, as the renderer radiosity finds it: "
                      "irradiance and radiosity of each, with colours by the film's exposure");
    add_device_option(*command, options->device);
    command
        ->add_option("--time", options->time,
                     "the scene as it is at this moment, seconds, without motion; else with the "
                     "rigid motion that glTF knows")
        ->type_name("SECONDS")
        ->check(between(0.0, 1e6));
    for_each_declared([&](const DeclaredSection& section, const SettingDeclaration& setting) {
        if (is_of_illumination(section.id, setting.id))
            add_setting_flag(*command, section.id, setting, options->settings);
    });
    command->callback([options] { export_scene(*options); });
}

}  // namespace tl
