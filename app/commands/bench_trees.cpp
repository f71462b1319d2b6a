// `treelight bench trees`: builds and traces every builder in every layout on every scene.

#include "accel/parallel/console.h"
#include "accel/parallel/error.h"
#include "accel/parallel/registry.h"
#include "app/commands/commands.h"
#include "app/commands/tree_bench_report.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct TreesBenchOptions {
    std::vector<std::string> scenes{"generate:blob", "generate:atrium,roof=true",
                                    "generate:terrain"};
    std::vector<std::string> builders, layouts;  ///< empty: all that run on the device
    std::string device = "auto";
    std::string json;
    bool peers = false, allow_outside = false;
    TreeBenchPlan plan;
};

std::vector<std::string> layouts_of(const TreesBenchOptions& o, const Device& device) {
    auto given = o.plan.settings.find("tree.layout");
    if (given != o.plan.settings.end()) return {given->second};
    TreeConfig config;
    Settings settings = config.settings();
    std::vector<std::string> ids;
    auto& layout = find_setting(settings, "layout", "tree");
    for (auto& id : layout.choices) {
        layout.set(id);
        if (config.layout != TreeLayout::automatic && traces_layout(device, config.layout))
            ids.push_back(id);
    }
    return ids;
}

/// Reports unknown ids before any measurement.
void check_ids(const TreesBenchOptions& o) {
    for (auto& id : o.builders) (void)find_row(tree_builders(), id, "tree builder");
    TreeConfig config;
    Settings settings = config.settings();
    for (auto& id : o.layouts) {
        try {
            find_setting(settings, "layout", "tree").set(id);
        } catch (const UserError& error) {
            throw UsageError(std::string("--layouts: ") + error.what());
        }
    }
}

SceneMeasurements measure_scene(Device& device, const std::string& path,
                                const TreesBenchOptions& o) {
    auto scene = std::make_shared<Scene>(load_scene(path, "", o.allow_outside));
    print_warnings(scene->warnings.lines());
    TreeBench bench(device, scene, o.plan);
    SceneMeasurements measured;
    measured.scene = path;
    measured.n_triangles = scene->triangle_count();
    measured.n_primitives = bench.primitive_count();
    measured.light = bench.light();
    for (auto& builder : o.builders.empty() ? ids_on(device.kind(), tree_builders()) : o.builders)
        for (auto& layout : o.layouts.empty() ? layouts_of(o, device) : o.layouts)
            measured.rows.push_back(bench.measure(builder, layout));
    if (o.peers) measured.peers = measure_embree(bench, o.plan.repeat);
    return measured;
}

void bench_trees(const TreesBenchOptions& o) {
    check_ids(o);
    begin_report(o.json);
    if (o.peers && !has_embree_peer())
        throw UserError(
            "--peers: this build has no Embree: install libembree-dev and configure again");
    Device& device = find_device(o.device);
    print("%s, %dx%d, median of %d\n", device.name().c_str(), o.plan.extent.width,
          o.plan.extent.height, o.plan.repeat);
    Json scenes = Json::array();
    for (auto& path : o.scenes) {
        auto measured = measure_scene(device, path, o);
        print_tree_tables(measured);
        scenes.push_back(tree_bench_json(measured));
    }
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "trees"},
                        {"machine", machine_report()},
                        {"device", device.name()},
                        {"width", o.plan.extent.width},
                        {"height", o.plan.extent.height},
                        {"repeat", o.plan.repeat},
                        {"seed", o.plan.seed},
                        {"settings", o.plan.settings},
                        {"scenes", scenes}});
}

}  // namespace

void add_bench_trees_command(CLI::App& bench) {
    auto o = std::make_shared<TreesBenchOptions>();
    auto* trees = bench.add_subcommand(
        "trees", "What trees cost to build and to trace: every builder, layout and scene");
    trees
        ->add_option("--mesh", o->scenes,
                     "scene file or generate:NAME[,key=value...]; may be repeated; default: an "
                     "object of 82k triangles, a hall of 265k, a terrain of 1M")
        ->type_name("SCENE")
        ->allow_extra_args(false);
    add_outside_option(*trees, o->allow_outside);
    trees->add_option("--builders", o->builders, "tree builders; default: all of the device")
        ->type_name("ID,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    trees->add_option("--layouts", o->layouts, "tree layouts; default: all of the device")
        ->type_name("ID,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_device_option(*trees, o->device);
    add_size_option(*trees, o->plan.extent);
    add_value(*trees, "--repeat", o->plan.repeat, "N", "how often each time is measured")
        ->check(between(1, 100000));
    trees->add_flag("--peers", o->peers, "also measure Embree, on the CPU and the same rays");
    add_value(*trees, "--seed", o->plan.seed, "K", "seed of the diffuse rays");
    add_json_option(*trees, o->json);
    add_tree_setting_flags(*trees, o->plan.settings);
    trees->callback([o] { bench_trees(*o); });
}

}  // namespace tl
