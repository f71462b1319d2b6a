// `treelight bench octree`: builds the octree of every builder over the same points, stage by
// stage.
#include <algorithm>

#include "accel/octree/octree_update.h"
#include "app/commands/bench_options.h"
#include "app/commands/bench_points.h"
#include "app/commands/commands.h"
#include "app/commands/pcl_peer.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/work_timer.h"
#include "core/base/random.h"
#include "core/device/registry.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct OctreeBenchOptions {
    int points = 1'000'000;
    std::string input;                  ///< a scene whose points replace those
    std::vector<std::string> builders;  ///< empty: all that run on the device
    OctreeConfig config;
    std::string curve = "morton";
    float motion = 0;  ///< of points before an update; 0: no update
    BenchRepeats repeats{20};
    std::uint64_t seed = 1;
    std::string device = "auto";
    std::string json;
    bool allow_outside = false, peers = false;
};

struct OctreeMeasurement {
    std::string builder;  ///< or "update"
    Timing build_ms;
    std::uint32_t n_moved = 0;      ///< points that have left the order, in the last update
    std::vector<StageTime> stages;  ///< medians
    OctreeHeader header;
    std::size_t n_leaves = 0, largest_leaf = 0;
    float area = 0;
    std::size_t bytes = 0, scratch_bytes = 0;
};

/// The points on a device, over which all builders build.
class OctreeBench {
  public:
    OctreeBench(Device& device, const OctreeBenchOptions& o, const std::vector<Surfel>& points,
                const ReadProgress& progress)
        : o_(o),
          progress_(progress),
          stream_(device.create_stream()),
          timer_(*stream_, o.repeats.count(), o.repeats.most_seconds(), progress),
          points_(*stream_, std::span<const Surfel>(points)) {}

    [[nodiscard]] OctreeMeasurement measure(const std::string& id) {
        auto builder = make_octree_builder(id, stream_->device());
        OctreeConfig config = o_.config;
        config.max_level = std::min(config.max_level, builder->max_level());
        Scratch scratch(*stream_);
        StageTimer stages(*stream_);
        Octree tree;
        stages.enable(false);
        auto build = [&] { builder->build(scratch, points_.view(), config, tree, stages); };
        do {
            build();
        } while (tree.make_room(*stream_));
        OctreeMeasurement m;
        m.builder = id;
        m.build_ms = timer_.time(o_.repeats.count(), build);
        stages.enable(true);
        m.stages = measure_stages(stages, build, [] {}).stages;
        m.bytes = tree.bytes();
        m.scratch_bytes = scratch.capacity();
        describe(tree, m);
        return m;
    }
    /// Moves the points of a tree and brings it up to date, again and again.
    [[nodiscard]] OctreeMeasurement measure_update() {
        auto& device = stream_->device();
        Scratch scratch(*stream_);
        StageTimer stages(*stream_);
        Octree tree;
        OctreeMeasurement m;
        m.builder = "update";
        auto builder = make_octree_builder("modern", device);
        stages.enable(false);
        do {
            builder->build(scratch, points_.view(), o_.config, tree, stages);
        } while (tree.make_room(*stream_));
        auto update = [&] { TL_DISPATCH(device, update_octree(scratch, o_.config, tree, stages)); };
        std::uint32_t n_moves = 0;
        auto move = [&] { move_points(tree, ++n_moves); };
        update();  // makes room
        stages.enable(true);
        auto [times, frame] = measure_stages(stages, update, move);
        m.stages = times;
        m.build_ms = frame;
        m.bytes = tree.bytes();
        m.scratch_bytes = scratch.capacity();
        describe(tree, m);
        return m;
    }

  private:
    struct StageTimes {
        std::vector<StageTime> stages;  ///< medians
        Timing all;
    };
    /// Times `repeat` runs of build(), each after prepare().
    template <class Build, class Prepare>
    [[nodiscard]] StageTimes measure_stages(StageTimer& timer, const Build& build,
                                            const Prepare& prepare) {
        std::vector<std::vector<double>> times;
        StageTimes result;
        RepeatCounter counter(stream_->device(), o_.repeats.count(), o_.repeats.most_seconds(),
                              progress_);
        while (counter.continues()) {
            prepare();
            timer.begin_frame();
            build();
            timer.end_frame();
            timer.flush();
            result.stages = timer.latest();
            times.resize(result.stages.size());
            for (std::size_t k = 0; k < times.size(); ++k)
                times[k].push_back(double(result.stages[k].milliseconds));
            counter.add(times.back().back());  // the frame
        }
        for (std::size_t k = 0; k < times.size(); ++k)
            result.stages[k].milliseconds = static_cast<float>(median(times[k]));
        result.all = {median(times.back()), p95(times.back())};
        result.stages.pop_back();  // the frame
        return result;
    }
    void move_points(Octree& tree, std::uint32_t step) const {
        auto& device = stream_->device();
        View<Surfel> points = tree.view().points;
        std::vector<Surfel> moved(points.size);
        device.download(*stream_, moved.data(), points.data, moved.size() * sizeof(Surfel));
        for (auto& point : moved) {
            Philox4 bits = philox4x32(point.index, step, 0, 0, static_cast<std::uint32_t>(o_.seed),
                                      0x6d6f7665);
            for (int axis = 0; axis < 3; ++axis)
                point.position[axis] += o_.motion * (2 * to_unit_float(bits.v[axis]) - 1);
        }
        device.upload(*stream_, points.data, moved.data(), moved.size() * sizeof(Surfel));
        stream_->synchronize();
    }
    void describe(Octree& tree, OctreeMeasurement& m) {
        m.header = tree.header(*stream_);
        OctreeView view = tree.view();
        std::vector<OctreeNode> nodes(m.header.n_nodes);
        if (nodes.empty()) return;
        auto& device = stream_->device();
        device.download(*stream_, nodes.data(), view.nodes.data, nodes.size() * sizeof(OctreeNode));
        for (auto& node : nodes) {
            if (!node.is_leaf()) continue;
            ++m.n_leaves;
            m.largest_leaf = std::max<std::size_t>(m.largest_leaf, node.count());
        }
        OctreeAttributes root;
        device.download(*stream_, &root, view.attributes.data, sizeof root);
        m.area = root.area;
    }

    const OctreeBenchOptions& o_;
    const ReadProgress& progress_;
    std::unique_ptr<Stream> stream_;
    WorkTimer timer_;
    DeviceArray<Surfel> points_;
};

double points_per_s(const OctreeMeasurement& m) {
    double n = m.header.n_points;
    return m.build_ms.median > 0 ? 1000 * n / m.build_ms.median : 0;
}

void print_measurement(const OctreeMeasurement& m) {
    print("%-12s %9.3f %9.3f %9.1f %10u %10zu %6d %8zu %8.1f %10.1f  ", m.builder.c_str(),
          m.build_ms.median, m.build_ms.p95, points_per_s(m) * 1e-6, m.header.n_nodes, m.n_leaves,
          m.header.n_levels(), m.largest_leaf, double(m.bytes) * 1e-6,
          double(m.scratch_bytes) * 1e-6);
    std::string stages;
    for (auto& stage : m.stages) {
        if (!stages.empty()) stages += ", ";
        stages += stage.name + " " + three_digits(double(stage.milliseconds));
    }
    print("%s\n", stages.c_str());
}

Json as_json(const OctreeMeasurement& m) {
    Json stages = Json::object();
    for (auto& stage : m.stages) stages[stage.name] = stage.milliseconds;
    return {{"builder", m.builder},
            {"build", {{"median_ms", m.build_ms.median}, {"p95_ms", m.build_ms.p95}}},
            {"points_per_s", points_per_s(m)},
            {"stages_ms", stages},
            {"points", m.header.n_points},
            {"dropped", m.header.n_dropped},
            {"nodes", m.header.n_nodes},
            {"leaves", m.n_leaves},
            {"levels", m.header.n_levels()},
            {"largest_leaf", m.largest_leaf},
            {"area", m.area},
            {"bytes", m.bytes},
            {"scratch_bytes", m.scratch_bytes}};
}

/// PCL's tree, of which only what both count is filled in.
OctreeMeasurement measure_peer(const std::vector<Surfel>& points, const OctreeBenchOptions& o,
                               const ReadProgress& progress) {
    PclMeasurement peer = measure_pcl(points, o.config.leaf_size, o.repeats.count(), progress);
    OctreeMeasurement m{};
    m.builder = "pcl";
    m.build_ms = peer.build_ms;
    m.header.n_points = static_cast<std::uint32_t>(peer.n_points);
    m.header.n_nodes = static_cast<std::uint32_t>(peer.n_nodes);
    m.n_leaves = peer.n_leaves;
    return m;
}

void bench_octree(OctreeBenchOptions& o) {
    if (o.peers && !has_pcl_peer())
        throw UserError("--peers: this build has no PCL: install libpcl-dev and configure again");
    for (auto& id : o.builders) (void)find_row(octree_builders(), id, "octree builder");
    o.config.curve = o.curve == "hilbert" ? SpaceCurve::hilbert : SpaceCurve::morton;
    begin_report(o.json);
    Device& device = find_device(o.device);
    auto points = o.input.empty() ? bumpy_surfels(o.points, o.seed)
                                  : surfels_of(load_scene(o.input, "", o.allow_outside));
    if (points.empty()) throw UserError(o.input + ": has no points");
    auto ids = o.builders.empty() ? ids_on(device.kind(), octree_builders()) : o.builders;
    BenchProgress progress(ids.size() + (o.motion > 0 ? 1 : 0) + (o.peers ? 1 : 0));
    OctreeBench bench(device, o, points, progress.phases());
    print("%zu points %s, %d in a leaf, %s order, on %s, %s\n", points.size(),
          o.input.empty() ? "of a surface" : ("of " + o.input).c_str(), o.config.leaf_size,
          o.curve.c_str(), device.name().c_str(), o.repeats.words(device).c_str());
    print("%-12s %9s %9s %9s %10s %10s %6s %8s %8s %10s  %s\n", "builder", "build ms", "p95",
          "Mpoint/s", "nodes", "leaves", "levels", "largest", "MB", "scratch MB", "stages, ms");
    Json rows = Json::array();
    auto report = [&](const std::string& row, auto measure) {
        progress.begin(row);
        OctreeMeasurement m = measure();
        progress.end();
        print_measurement(m);
        rows.push_back(as_json(m));
    };
    for (auto& id : ids) report(id, [&] { return bench.measure(id); });
    if (o.motion > 0) report("update", [&] { return bench.measure_update(); });
    if (o.peers) report("pcl", [&] { return measure_peer(points, o, progress.phases()); });
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "octree"},
                        {"machine", machine_report()},
                        {"device", device.name()},
                        {"input", o.input},
                        {"points", points.size()},
                        {"leaf", o.config.leaf_size},
                        {"max_level", o.config.max_level},
                        {"curve", o.curve},
                        {"motion", o.motion},
                        {"repeat", o.repeats.count()},
                        {"most_seconds", o.repeats.most_seconds()},
                        {"seed", o.seed},
                        {"builders", rows}});
}

}  // namespace

void add_bench_octree_command(CLI::App& bench) {
    auto o = std::make_shared<OctreeBenchOptions>();
    auto* octree = bench.add_subcommand("octree", "Octrees over points, by every builder");
    auto* n = add_value(*octree, "--points", o->points, "N", "points, spread over a closed surface")
                  ->check(between(1, 100'000'000));
    octree
        ->add_option("--input", o->input,
                     "a model or scene whose vertices and spheres are the points instead")
        ->type_name("SCENE")
        ->excludes(n);
    octree->add_option("--builders", o->builders, ids_of(octree_builders()) + "; default: all")
        ->type_name("ID,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_value(*octree, "--order", o->curve, "CURVE", "of the cells: morton or hilbert")
        ->check(CLI::IsMember({"morton", "hilbert"}));
    add_value(*octree, "--leaf", o->config.leaf_size, "N", "most points of a leaf")
        ->check(between(1, OctreeConfig::kMostLeafSize));
    add_value(*octree, "--levels", o->config.max_level, "N", "most levels below the root")
        ->check(between(0, OctreeGrid::kLevels));
    add_value(
        *octree, "--motion", o->motion, "D",
        "also measure updates, after each of which all points move by up to D along each axis")
        ->check(between(0.0f, 1e6f));
    add_device_option(*octree, o->device);
    add_outside_option(*octree, o->allow_outside);
    add_repeat_options(*octree, o->repeats);
    octree->add_flag("--peers", o->peers, "also measure the octree of PCL, on the CPU");
    add_value(*octree, "--seed", o->seed, "K", "seed of the points");
    add_json_option(*octree, o->json);
    octree->callback([o] { bench_octree(*o); });
}

}  // namespace tl
