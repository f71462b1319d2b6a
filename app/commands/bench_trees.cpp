// `treelight bench trees`: builds and traces every builder in every layout on every scene.

#include "app/commands/bench_options.h"
#include "app/commands/commands.h"
#include "app/commands/tree_bench_report.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/device/registry.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

using Ids = std::vector<std::string>;
const DeviceDefault<Ids> kTreeScenes{
    {"generate:blob"}, {"generate:blob", "generate:atrium,roof=true", "generate:terrain"}};
constexpr DeviceDefault<Extent> kTreeExtents{{480, 270}, {1920, 1080}};

struct TreesBenchOptions {
    Ids scenes;             ///< empty: by the device
    Ids builders, layouts;  ///< empty: by the device
    std::string device = "auto";
    std::string json;
    bool peers = false, allow_outside = false;
    BenchRepeats repeats{20};
    TreeBenchPlan plan;
};

/// Names of the layouts to measure; a retired name becomes that of the layout which is built.
std::vector<std::string> layouts_of(const TreesBenchOptions& o, const Device& device) {
    auto& layout_setting = find_declared("tree", "layout");
    std::vector<std::string> chosen;
    for (auto& id : o.layouts) chosen.push_back(layout_setting.canonical(id));
    auto given = o.plan.settings.find("tree.layout");
    if (chosen.empty() && given != o.plan.settings.end())
        chosen.push_back(layout_setting.canonical(given->second));
    if (!chosen.empty()) return chosen;
    if (device.kind() == DeviceKind::cpu) return {"auto"};
    std::vector<std::string> ids;
    for (auto& [layout, name] : names_of(TreeLayout{}))
        if (layout != TreeLayout::automatic && traces_layout(device, layout)) ids.push_back(name);
    return ids;
}

Ids builders_of(const TreesBenchOptions& o, const Device& device) {
    return o.builders.empty() ? ids_on(device.kind(), tree_builders()) : o.builders;
}

/// Reports unknown ids before any measurement.
void check_ids(const TreesBenchOptions& o) {
    for (auto& id : o.builders) (void)find_row(tree_builders(), id, "tree builder");
    for (auto& id : o.layouts) {
        try {
            (void)find_declared("tree", "layout").canonical(id);
        } catch (const UserError& error) {
            throw UsageError(std::string("--layouts: ") + error.what());
        }
    }
}

SceneMeasurements measure_scene(Device& device, const std::string& path, const TreesBenchOptions& o,
                                BenchProgress& progress) {
    progress.begin(path);
    auto scene =
        std::make_shared<Scene>(load_scene(path, "", o.allow_outside, {progress.phases()}));
    progress.hide();
    print_warnings(scene->warnings.lines());
    TreeBench bench(device, scene, o.plan, progress.phases());
    SceneMeasurements measured;
    measured.scene = path;
    measured.n_triangles = scene->triangle_count();
    measured.n_primitives = bench.primitive_count();
    measured.light = bench.light();
    auto table = begin_tree_table(measured);
    for (auto& builder : builders_of(o, device))
        for (auto& layout : layouts_of(o, device)) {
            progress.begin(builder + (layout == "auto" ? "" : " " + layout));
            measured.rows.push_back(bench.measure(builder, layout));
            progress.end();
            print_tree_row(table, measured.rows.back());
        }
    if (o.peers) {
        progress.begin("embree");
        measured.peers = measure_embree(bench, o.plan.repeat);
        progress.end();
    }
    return measured;
}

void bench_trees(TreesBenchOptions o) {
    check_ids(o);
    begin_report(o.json);
    if (o.peers && !has_embree_peer())
        throw UserError(
            "--peers: this build has no Embree: install libembree-dev and configure again");
    Device& device = find_device(o.device);
    kTreeScenes.fill(o.scenes, device);
    kTreeExtents.fill(o.plan.extent, device);
    o.plan.repeat = o.repeats.count();
    o.plan.most_seconds = o.repeats.most_seconds();
    print("%s, %dx%d, %s\n", device.name().c_str(), o.plan.extent.width, o.plan.extent.height,
          o.repeats.words(device).c_str());
    std::size_t n_rows = builders_of(o, device).size() * layouts_of(o, device).size();
    BenchProgress progress(o.scenes.size() * (n_rows + (o.peers ? 1 : 0)));
    Json scenes = Json::array();
    for (auto& path : o.scenes) {
        auto measured = measure_scene(device, path, o, progress);
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
                        {"most_seconds", o.plan.most_seconds},
                        {"seed", o.plan.seed},
                        {"time", o.plan.time},
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
                     "object of 82k triangles; on a GPU also a hall of 265k, a terrain of 1M")
        ->type_name("SCENE")
        ->allow_extra_args(false);
    add_outside_option(*trees, o->allow_outside);
    trees->add_option("--builders", o->builders, "tree builders; default: all of the device")
        ->type_name("ID,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    trees
        ->add_option("--layouts", o->layouts,
                     "tree layouts; default: all of a GPU, on the CPU that of the builder")
        ->type_name("ID,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_device_option(*trees, o->device);
    add_size_option(*trees, o->plan.extent)
        ->description("picture size, pixels" + words_of(kTreeExtents));
    add_repeat_options(*trees, o->repeats);
    trees->add_flag("--peers", o->peers, "also measure Embree, on the CPU and the same rays");
    add_value(*trees, "--seed", o->plan.seed, "K", "seed of the diffuse rays");
    add_value(*trees, "--time", o->plan.time, "S", "moment of moving scenes, seconds")
        ->check(CLI::Range(0.0, 1e9));
    add_json_option(*trees, o->json);
    add_tree_setting_flags(*trees, o->plan.settings);
    trees->callback([o] { bench_trees(*o); });
}

}  // namespace tl
