// `treelight bench photons`: builds and searches every structure that serves photon lookups.
#include <algorithm>
#include <cmath>

#include "accel/tree_builder.h"
#include "app/commands/bench_options.h"
#include "app/commands/bench_points.h"
#include "app/commands/commands.h"
#include "app/commands/nanoflann_peer.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "core/device/registry.h"
#include "renderer/photon/point_structures.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

constexpr DeviceDefault<int> kPoints{100'000, 1'000'000}, kPlaces{100'000, 2'000'000};

struct PhotonsBenchOptions {
    int points = 0, places = 0;  ///< 0: by the device
    int nearest = 50;
    float within = 55;  ///< mean number of points within the radius
    std::string order = "morton";
    std::vector<std::string> structures;  ///< empty: all that run on the device
    BenchRepeats repeats{10};
    std::uint64_t seed = 1;
    std::string device = "auto";
    std::string json;
    bool peers = false;
};

/// The bits of a coordinate in [-2, 2], two zeros after each.
std::uint64_t spread(float x) {
    auto cell = static_cast<std::uint64_t>((x + 2) * 0.25f * 1023);
    std::uint64_t bits = 0;
    for (int b = 0; b < 10; ++b) bits |= (cell >> b & 1) << (3 * b);
    return bits;
}

void sort_by_morton(std::vector<vec3>& places) {
    std::sort(places.begin(), places.end(), [](vec3 a, vec3 b) {
        auto code = [](vec3 p) { return spread(p.x) << 2 | spread(p.y) << 1 | spread(p.z); };
        return code(a) < code(b);
    });
}

/// Points and query points on a device, with which all structures are measured.
class PointBench {
  public:
    PointBench(Device& device, const PhotonsBenchOptions& o, const ReadProgress& progress)
        : o_(o),
          progress_(progress),
          host_points_(bumpy_points(o.points, o.seed)),
          host_places_(bumpy_points(o.places, o.seed + 1)),
          stream_(device.create_stream()),
          scratch_(*stream_),
          timer_(*stream_, o.repeats.count(), o.repeats.most_seconds(), progress) {
        if (o.order == "morton") sort_by_morton(host_places_);
        points_.assign(*stream_, host_points_);
        places_.assign(*stream_, host_places_);
        counts_.resize_discard(*stream_, host_places_.size());
        farthest_.resize_discard(*stream_, host_places_.size());
        find_radius();
    }
    [[nodiscard]] PointMeasurement measure(const std::string& id) {
        auto structure = make(id);
        PointMeasurement m;
        m.name = id;
        View<const vec3> places = places_.view();
        m.build_ms = timer_.time(o_.repeats.count(),
                                 [&] { structure->build(scratch_, points_.view(), radius_); });
        m.within_ms = timer_.time(
            o_.repeats.count(), [&] { structure->count_within(*stream_, places, counts_.view()); });
        m.n_within = n_within();
        if (!structure->finds_nearest()) return m;
        m.nearest_ms = timer_.time(o_.repeats.count(), [&] {
            structure->find_nearest(*stream_, places, o_.nearest, kInfinity,
                                    {{}, {}, farthest_.view()});
        });
        if (structure->may_miss()) {
            m.recall = recall_of(*structure);
            return m;
        }
        for (float square : farthest_.download(*stream_))
            m.sum_of_farthest += std::sqrt(static_cast<double>(square));
        return m;
    }
    [[nodiscard]] PointMeasurement measure_peer() const {
        return measure_nanoflann(host_points_, host_places_, radius_, o_.nearest,
                                 o_.repeats.count(), progress_);
    }
    [[nodiscard]] float radius() const { return radius_; }

  private:
    [[nodiscard]] std::unique_ptr<PointStructure> make(const std::string& id) const {
        auto& device = stream_->device();
        return TL_DISPATCH(device, make_point_structure(id, device));
    }
    [[nodiscard]] double n_within() {
        double n = 0;
        for (auto count : counts_.download(*stream_)) n += count;
        return n;
    }
    /// Recall of a structure: fraction of the nearest points that it finds, for some query points.
    [[nodiscard]] double recall_of(PointStructure& structure) {
        constexpr std::size_t kPlaces = 10'000;
        View<const vec3> some(places_.data(), std::min(places_.size(), kPlaces));
        auto k = static_cast<std::size_t>(o_.nearest);
        DeviceArray<float> squares(*stream_, some.size * k), exact(*stream_, some.size);
        structure.find_nearest(*stream_, some, o_.nearest, kInfinity, {{}, squares.view(), {}});
        auto tree = make("kd-tree");
        tree->build(scratch_, points_.view(), radius_);
        tree->find_nearest(*stream_, some, o_.nearest, kInfinity, {{}, {}, exact.view()});
        auto found = squares.download(*stream_), farthest = exact.download(*stream_);
        std::size_t n = 0;
        for (std::size_t i = 0; i < found.size(); ++i) n += found[i] <= farthest[i / k];
        return static_cast<double>(n) / static_cast<double>(found.size());
    }
    /// Finds the search radius from a first guess, by the number of points within it.
    void find_radius() {
        radius_ = 2 * std::sqrt(o_.within / static_cast<float>(o_.points));
        auto tree = make("kd-tree");
        for (int round = 0; round < 2; ++round) {
            tree->build(scratch_, points_.view(), radius_);
            tree->count_within(*stream_, places_.view(), counts_.view());
            double mean = n_within() / o_.places;
            if (mean > 0) radius_ *= static_cast<float>(std::sqrt(double(o_.within) / mean));
        }
    }

    const PhotonsBenchOptions& o_;
    const ReadProgress& progress_;
    std::vector<vec3> host_points_, host_places_;
    std::unique_ptr<Stream> stream_;
    Scratch scratch_;
    WorkTimer timer_;
    DeviceArray<vec3> points_, places_;
    DeviceArray<std::uint32_t> counts_;
    DeviceArray<float> farthest_;
    float radius_ = 0;
};

std::vector<std::string> structures_on(const Device& device, const PhotonsBenchOptions& o) {
    if (!o.structures.empty()) return o.structures;
    std::vector<std::string> ids{"kd-tree", "grid", "cells", "octree", "windows", "hash"};
    for (auto& id : ids_on(device.kind(), tree_builders())) ids.push_back("bvh-" + id);
    return ids;
}

double rate(int n, const Timing& ms) {
    return ms.median > 0 ? n / ms.median / 1000 : 0;
}

void print_measurement(TextTable& table, const PhotonsBenchOptions& o, const PointMeasurement& m) {
    const bool has_nearest = m.nearest_ms.median > 0;
    table.row(m.name)
        .number("build ms", m.build_ms.median)
        .number("Mpoints/s", rate(o.points, m.build_ms))
        .number("within ms", m.within_ms.median)
        .number("Mqueries/s", rate(o.places, m.within_ms))
        .number("mean found", m.n_within / o.places);
    if (has_nearest)
        table.number("nearest ms", m.nearest_ms.median)
            .number("Mqueries/s", rate(o.places, m.nearest_ms));
    else
        table.cell("nearest ms", "").cell("Mqueries/s", "");
    std::string farthest;
    if (m.recall < 1)
        farthest = formatted("%.2f %% found", 100 * m.recall);
    else if (has_nearest)
        farthest = formatted("%.9f", m.sum_of_farthest / o.places);
    table.cell("mean farthest", farthest);
    table.print();
}

Json as_json(const PhotonsBenchOptions& o, const PointMeasurement& m) {
    Json json{{"structure", m.name},
              {"build_ms", m.build_ms.median},
              {"within_ms", m.within_ms.median},
              {"within_per_s", rate(o.places, m.within_ms) * 1e6},
              {"mean_within", m.n_within / o.places}};
    if (m.nearest_ms.median > 0) {
        json["nearest_ms"] = m.nearest_ms.median;
        json["nearest_per_s"] = rate(o.places, m.nearest_ms) * 1e6;
        json["recall"] = m.recall;
        if (m.recall == 1) json["mean_farthest"] = m.sum_of_farthest / o.places;
    }
    return json;
}

void bench_photons(PhotonsBenchOptions o) {
    if (o.peers && !has_nanoflann_peer())
        throw UserError(
            "--peers: this build has no nanoflann: install libnanoflann-dev and configure again");
    begin_report(o.json);
    Device& device = find_device(o.device);
    kPoints.fill(o.points, device);
    kPlaces.fill(o.places, device);
    auto ids = structures_on(device, o);
    BenchProgress progress(ids.size() + (o.peers ? 1 : 0));
    progress.begin("points");
    PointBench bench(device, o, progress.phases());
    progress.hide();
    print("%d points of a surface, %d queries in %s order, radius %g, %d nearest, on %s, %s\n",
          o.points, o.places, o.order.c_str(), double(bench.radius()), o.nearest,
          device.name().c_str(), o.repeats.words(device).c_str());
    TextTable table("structure", 18);
    Json rows = Json::array();
    auto report = [&](const std::string& id, auto measure) {
        progress.begin(id);
        PointMeasurement m = measure();
        progress.end();
        print_measurement(table, o, m);
        rows.push_back(as_json(o, m));
    };
    for (auto& id : ids) report(id, [&] { return bench.measure(id); });
    if (o.peers) report("nanoflann", [&] { return bench.measure_peer(); });
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "photons"},
                        {"machine", machine_report()},
                        {"device", device.name()},
                        {"points", o.points},
                        {"places", o.places},
                        {"order", o.order},
                        {"radius", bench.radius()},
                        {"nearest", o.nearest},
                        {"repeat", o.repeats.count()},
                        {"most_seconds", o.repeats.most_seconds()},
                        {"seed", o.seed},
                        {"structures", rows}});
}

}  // namespace

void add_bench_photons_command(CLI::App& bench) {
    constexpr int kMost = 100'000'000;
    auto o = std::make_shared<PhotonsBenchOptions>();
    auto* photons = bench.add_subcommand(
        "photons",
        "Data structures for photon search: a kd-tree, a hash grid, an octree, hash tables, every "
        "builder's tree");
    add_by_device(*photons, "--points", o->points, kPoints, "N",
                  "points, spread over a closed surface")
        ->check(between(1, kMost));
    add_by_device(*photons, "--places", o->places, kPlaces, "N", "query points on the same surface")
        ->check(between(1, kMost));
    add_value(*photons, "--order", o->order, "ORDER", "order of the query points: morton or random")
        ->check(CLI::IsMember({"morton", "random"}));
    add_value(*photons, "--nearest", o->nearest, "K", "neighbours to find")
        ->check(between(1, NearestPoints::kMost));
    add_value(*photons, "--within", o->within, "N",
              "how many points are within the radius, on average")
        ->check(between(1e-3f, 1e6f));
    photons
        ->add_option(
            "--structures", o->structures,
            "kd-tree, grid, cells, octree, windows, hash, bvh-BUILDER; default: all of the device")
        ->type_name("ID,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_device_option(*photons, o->device);
    add_repeat_options(*photons, o->repeats);
    photons->add_flag("--peers", o->peers, "also measure nanoflann, on the CPU");
    add_value(*photons, "--seed", o->seed, "K", "seed of the points");
    add_json_option(*photons, o->json);
    photons->callback([o] { bench_photons(*o); });
}

}  // namespace tl
