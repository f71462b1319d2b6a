// `treelight export`: writes a scene as binary glTF for other programs, or as a scene file.
#include <filesystem>

#include "accel/parallel/console.h"
#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/output.h"
#include "app/jobs/scene_saving.h"
#include "app/jobs/terminal_progress.h"
#include "renderer/scene/export/gltf_export.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

struct ExportOptions {
    std::string scene, output = "scene.glb";
    bool allow_outside = false;
    std::optional<float> time;  ///< of the moment that is written, seconds
};

/// Checks before a long load that the file can be written. Returns its ending.
std::string check_output(const ExportOptions& o) {
    auto ending = lower_case(std::filesystem::path(o.output).extension().string());
    if (ending != ".glb" && ending != ".toml")
        throw UsageError("'" + o.output +
                         "': scenes are exported as binary glTF or as scene files; name it .glb or "
                         ".toml");
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

void export_scene(const ExportOptions& o) {
    if (o.scene.empty())
        throw UsageError("export needs a scene: treelight export SCENE -o scene.glb");
    if (check_output(o) == ".toml") return export_scene_file(o);
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
        "export", "Write a scene as binary glTF for other programs, or as a scene file");
    command
        ->add_option("scene,--scene", options->scene,
                     "scene file (" + joined(scene_extensions()) +
                         "), generate:NAME[,key=value...] or model:NAME")
        ->type_name("SCENE");
    add_outside_option(*command, options->allow_outside);
    add_value(*command, "-o,--output", options->output, "FILE",
              "glTF 2.0 with meshes, materials, textures, camera and lights, .glb; or a scene file "
              "that refers to SCENE, to be changed by hand, .toml");
    command
        ->add_option("--time", options->time,
                     "the scene as it is at this moment, seconds, without motion; else with the "
                     "rigid motion that glTF knows")
        ->type_name("SECONDS")
        ->check(between(0.0, 1e6));
    command->callback([options] { export_scene(*options); });
}

}  // namespace tl
