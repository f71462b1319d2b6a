// `treelight export`: writes a scene as binary glTF for other programs.
#include <filesystem>

#include "accel/parallel/console.h"
#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/output.h"
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

/// Checks before a long load that the file can be written.
void check_output(const std::string& path) {
    if (lower_case(std::filesystem::path(path).extension().string()) != ".glb")
        throw UsageError("'" + path + "': scenes are exported as binary glTF; name it .glb");
    require_writable(path);
}

void export_scene(const ExportOptions& o) {
    if (o.scene.empty())
        throw UsageError("export needs a scene: treelight export SCENE -o scene.glb");
    check_output(o.output);
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
    auto* command =
        program.add_subcommand("export", "Write a scene as binary glTF for other programs");
    command
        ->add_option("scene,--scene", options->scene,
                     "scene file (" + joined(scene_extensions()) +
                         "), generate:NAME[,key=value...] or model:NAME")
        ->type_name("SCENE");
    add_outside_option(*command, options->allow_outside);
    add_value(*command, "-o,--output", options->output, "FILE",
              "glTF 2.0 with meshes, materials, textures, camera and lights, .glb");
    command
        ->add_option("--time", options->time,
                     "the scene as it is at this moment, seconds, without motion; else with the "
                     "rigid motion that glTF knows")
        ->type_name("SECONDS")
        ->check(between(0.0, 1e6));
    command->callback([options] { export_scene(*options); });
}

}  // namespace tl
