// `treelight bench queries`: rays, closest points, signed distances, overlaps and neighbours, as
// the library offers them.
#include "app/commands/bench_options.h"
#include "app/commands/commands.h"
#include "app/commands/query_bench.h"
#include "app/commands/query_peers.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "core/base/console.h"
#include "core/device/registry.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

const DeviceDefault<std::vector<std::string>> kQueryScenes{
    {"generate:blob"}, {"generate:blob", "generate:atrium,roof=true", "generate:terrain"}};
constexpr DeviceDefault<Extent> kQueryExtents{{480, 270}, {1920, 1080}};
constexpr DeviceDefault<int> kQueryPoints{100'000, 1'000'000}, kQueryGrid{32, 256};

struct QueriesBenchOptions {
    std::vector<std::string> scenes;  ///< empty: by the device
    std::string device = "auto", json;
    bool peers = false, allow_outside = false;
    BenchRepeats repeats{20};
    QueryBenchPlan plan;
    TreeBenchPlan trees;
};

Json as_json(const QueryMeasurement& m) {
    Json json{{"query", m.name}, {"ms", m.ms.median}, {"p95_ms", m.ms.p95}};
    if (m.n_queries > 0) {
        json["queries"] = m.n_queries;
        json["per_s"] = m.mqueries_per_s() * 1e6;
    }
    json["found"] = m.n_found;
    json["sum_of_distances"] = m.sum;
    return json;
}

void print_rows(const std::vector<QueryMeasurement>& rows, const std::string& title) {
    TextTable table(title, 30);
    for (auto& m : rows) {
        table.row(m.name).number("ms", m.ms.median);
        if (m.n_queries > 0)
            table.number("million/s", m.mqueries_per_s());
        else
            table.cell("million/s", "");
        table.cell("found", m.n_found > 0 ? formatted("%.0f", m.n_found) : "").print();
    }
}

/// The kernels that `bench trees` times, on the same rays.
std::vector<QueryMeasurement> rows_of_trees(const TreeMeasurement& m) {
    auto row = [](const char* name, const RayMeasurement& rays) {
        QueryMeasurement q;
        q.name = name;
        q.ms = rays.ms;
        q.n_queries = static_cast<double>(rays.n_rays);
        q.n_found = static_cast<double>(rays.n_hits);
        q.sum = rays.sum_of_distances;
        return q;
    };
    return {row("bench trees: camera", m.primary), row("bench trees: diffuse", m.diffuse),
            row("bench trees: occluded", m.shadow)};
}

Json measure_scene(Device& device, const std::string& path, const QueriesBenchOptions& o,
                   BenchProgress& progress) {
    progress.begin(path);
    auto scene =
        std::make_shared<Scene>(load_scene(path, "", o.allow_outside, {progress.phases()}));
    print_warnings(scene->warnings.lines());
    TreeBench trees(device, scene, o.trees, progress.phases());
    const auto of_trees = rows_of_trees(trees.measure(o.plan.builder, "auto"));
    const BenchGeometry geometry = trees.geometry();
    const BenchRays rays = trees.rays();
    if (geometry.triangles.empty())
        throw UserError("the scene '" + path + "' has no triangles to query");
    auto rows = measure_queries(device, geometry, rays, o.plan, o.trees, progress.phases());
    progress.end();
    rows.insert(rows.end(), of_trees.begin(), of_trees.end());
    if (o.peers) {
        progress.begin("peers");
        auto peers = measure_query_peers(trees, o.plan, o.trees.repeat, progress.phases());
        rows.insert(rows.end(), peers.begin(), peers.end());
        progress.end();
    }
    print("%s: %zu triangles\n", path.c_str(), geometry.triangles.size());
    print_rows(rows, "query");
    Json json = Json::array();
    for (auto& m : rows) json.push_back(as_json(m));
    return {{"scene", path}, {"triangles", geometry.triangles.size()}, {"rows", json}};
}

void bench_queries(QueriesBenchOptions o) {
    if (o.peers) require_query_peers();
    (void)find_row(tree_builders(), o.plan.builder, "tree builder");
    begin_report(o.json);
    Device& device = find_device(o.device);
    kQueryScenes.fill(o.scenes, device);
    kQueryExtents.fill(o.trees.extent, device);
    kQueryPoints.fill(o.plan.points, device);
    kQueryGrid.fill(o.plan.grid, device);
    o.trees.repeat = o.repeats.count();
    o.trees.most_seconds = o.repeats.most_seconds();
    print("%s, builder %s, %d points within %g of vertices, %s\n", device.name().c_str(),
          o.plan.builder.c_str(), o.plan.points, double(o.plan.distance),
          o.repeats.words(device).c_str());
    BenchProgress progress(o.scenes.size() * (o.peers ? 2 : 1));
    Json scenes = Json::array();
    for (auto& path : o.scenes) scenes.push_back(measure_scene(device, path, o, progress));
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "queries"},
                        {"machine", machine_report()},
                        {"device", device.name()},
                        {"builder", o.plan.builder},
                        {"points", o.plan.points},
                        {"distance", o.plan.distance},
                        {"repeat", o.trees.repeat},
                        {"scenes", scenes}});
}

}  // namespace

void add_bench_queries_command(CLI::App& bench) {
    constexpr int kMostPoints = 100'000'000, kMostGrid = 1024;
    auto o = std::make_shared<QueriesBenchOptions>();
    auto* queries = bench.add_subcommand(
        "queries",
        "The library's queries of a scene's triangles: rays, closest points, signed distances, "
        "overlaps, neighbours");
    queries
        ->add_option("--mesh", o->scenes,
                     "scene file or generate:NAME[,key=value...]; may be repeated; default: an "
                     "object of 82k triangles; on a GPU also a hall of 265k, a terrain of 1M")
        ->type_name("SCENE")
        ->allow_extra_args(false);
    add_outside_option(*queries, o->allow_outside);
    add_value(*queries, "--builder", o->plan.builder, "ID", "tree builder");
    add_device_option(*queries, o->device);
    add_size_option(*queries, o->trees.extent)
        ->description("picture size of the rays, pixels" + words_of(kQueryExtents));
    add_by_device(*queries, "--points", o->plan.points, kQueryPoints, "N",
                  "points to find the closest points and neighbours of")
        ->check(CLI::Range(1, kMostPoints));
    add_value(*queries, "--distance", o->plan.distance, "D",
              "largest offset of these from a random vertex, along each axis")
        ->check(CLI::Range(0.0, 1e9));
    add_by_device(*queries, "--grid", o->plan.grid, kQueryGrid, "N",
                  "points along an edge of the grid of signed distances")
        ->check(CLI::Range(2, kMostGrid));
    add_value(*queries, "--neighbours", o->plan.neighbours, "K", "number of nearest points")
        ->check(CLI::Range(1, 128));
    add_repeat_options(*queries, o->repeats);
    queries->add_flag(
        "--peers", o->peers,
        "also measure Embree, nanoflann and, where the build has it, CGAL, on the CPU and the "
        "same queries");
    add_json_option(*queries, o->json);
    queries->callback([o] { bench_queries(*o); });
}

}  // namespace tl
