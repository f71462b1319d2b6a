// `treelight export`: writes a scene as binary glTF for other programs, as a scene file, or as
// points on its surfaces.
#include <filesystem>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/output.h"
#include "app/jobs/scene_saving.h"
#include "app/jobs/terminal_progress.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/export/gltf_export.h"
#include "renderer/scene/export/point_export.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

struct ExportOptions {
    std::string scene, output = "scene.glb";
    bool allow_outside = false;
    std::optional<float> time;              ///< of the moment that is written, seconds
    std::optional<std::size_t> n_points{};  ///< points on surfaces, instead of the surfaces
    std::uint64_t seed = 1;                 ///< seed of the points
};

/// Checks before a long load that the file can be written. Returns its extension.
std::string check_output(const ExportOptions& o) {
    auto ending = lower_case(std::filesystem::path(o.output).extension().string());
    if (ending != ".glb" && ending != ".toml" && ending != ".ply")
        throw UsageError("'" + o.output +
                         "': scenes are exported as binary glTF, as scene files or as points; name "
                         "it .glb, .toml or .ply");
    if (o.n_points.has_value() != (ending == ".ply"))
        throw UsageError(ending == ".ply" ? "'" + o.output +
                                                "': a .ply is written of points; say how many, "
                                                "--points 100000"
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
        samples =
            sample_scene(scene, {.n_points = *o.n_points, .seed = o.seed, .time = o.time}, show);
    }
    std::size_t n_bytes = write_ply_points(o.output, samples, scene.offset);
    print("%s: %zu points on %.6g m^2, no two on the same side closer than %.4g m; %.1f MB\n",
          o.output.c_str(), samples.positions.size(), samples.area,
          static_cast<double>(samples.distance), static_cast<double>(n_bytes) / 1e6);
}

void export_scene(const ExportOptions& o) {
    if (o.scene.empty())
        throw UsageError("export needs a scene: treelight export SCENE -o scene.glb");
    auto ending = check_output(o);
    if (ending == ".toml") return export_scene_file(o);
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
        "export", "Write a scene as binary glTF for other programs, as a scene file, or as points");
    command
        ->add_option("scene,--scene", options->scene,
                     "scene file (" + joined(scene_extensions()) +
                         "), generate:NAME[,key=value...] or model:NAME")
        ->type_name("SCENE");
    add_outside_option(*command, options->allow_outside);
    add_value(*command, "-o,--output", options->output, "FILE",
              "glTF 2.0 with meshes, materials, textures, camera and lights, .glb; or a scene file "
              "that refers to SCENE, to be changed by hand, .toml; or with --points a cloud, .ply");
    command
        ->add_option("--points", options->n_points,
                     "so many points on the surfaces, spread evenly, with normals, colours and "
                     "areas, in place of the scene")
        ->type_name("N")
        ->check(between(std::size_t{1}, std::size_t{100'000'000}));
    add_value(*command, "--seed", options->seed, "N", "another number gives other points");
    command
        ->add_option("--time", options->time,
                     "the scene as it is at this moment, seconds, without motion; else with the "
                     "rigid motion that glTF knows")
        ->type_name("SECONDS")
        ->check(between(0.0, 1e6));
    command->callback([options] { export_scene(*options); });
}

}  // namespace tl
