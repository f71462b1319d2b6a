#include "app/solve/water/bench_shared_water.h"

#include <chrono>
#include <cmath>

#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/solve/water/water_input.h"
#include "core/device/registry.h"
#include "solvers/queue/queue.h"
#include "solvers/shallow_water/water.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

/// The way of a device's systems: to it directly, to its queue, or to the queues of all devices.
enum class WaterWay { direct, queue, both };

Water make_shared_water(Stream& stream, const WaterCase& given, WaterWay way) {
    WaterConfig config = given.config;
    config.share = way != WaterWay::direct;
    Water water(stream, given.basin, config);
    if (way != WaterWay::queue) return water;
    std::vector<std::unique_ptr<Queue>> queues;
    queues.push_back(std::make_unique<Queue>(stream.device()));
    water.share_between(std::move(queues));
    return water;
}

Json measure_water_way(Stream& stream, const WaterCase& given, WaterWay way,
                       const SolverBench& bench, const ReadProgress& progress) {
    Water water = make_shared_water(stream, given, way);
    long n_steps = 0;
    auto seconds = repeated_seconds(bench, progress, [&] {
        ++n_steps;
        stream.synchronize();
        auto start = std::chrono::steady_clock::now();
        (void)water.step(stream);
        stream.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    return {{"devices", way == WaterWay::both ? "both" : stream.device().id()},
            {"ms", 1e3 * median(seconds)},
            {"p95_ms", 1e3 * p95(seconds)},
            {"repeats", seconds.size()},
            {"shares", shares_json(water.shares(), n_steps)}};
}

/// Fields after ten steps, as in table 5.1.
Water::Host after_ten_steps(Stream& stream, const WaterCase& given, WaterWay way) {
    Water water = make_shared_water(stream, given, way);
    for (int i = 0; i < 10; ++i) (void)water.step(stream);
    return water.download(stream);
}

}  // namespace

Json measure_shared_water(Stream& stream, const WaterCase& given, const SolverBench& bench,
                          const ReadProgress& progress) {
    WaterCase made = given;
    made.config.mode = WaterMode::plu;
    made.config.share = true;
    check_water_mode(made.basin.nx, made.basin.ny, made.config);
    Json rows = Json::array();
    double best = HUGE_VAL;
    for (Device* device : {devices()[0], first_gpu()}) {
        auto own = device->create_stream();
        // A queue hides copies, and makes more of them: the better way counts.
        Json direct = measure_water_way(*own, made, WaterWay::direct, bench, progress);
        Json queued = measure_water_way(*own, made, WaterWay::queue, bench, progress);
        rows.push_back(direct["ms"] < queued["ms"] ? direct : queued);
        best = std::min(best, rows.back()["ms"].get<double>());
    }
    rows.push_back(measure_water_way(stream, made, WaterWay::both, bench, progress));
    double both = rows.back()["ms"].get<double>();
    auto cpu = find_device("cpu").create_stream();
    auto alone = after_ten_steps(*cpu, made, WaterWay::direct);
    auto shared = after_ten_steps(*cpu, made, WaterWay::both);
    return {{"mode", "plu"},
            {"ms", both},
            {"cells_per_second", 1e3 * static_cast<double>(made.basin.size()) / both},
            {"gain", best / both},
            {"alone_and_both", rows},
            {"differences",
             {{"z", differences_of(alone.z, shared.z)},
              {"u", differences_of(alone.u, shared.u)},
              {"v", differences_of(alone.v, shared.v)}}}};
}

void print_shared_water(const Json& report) {
    for (auto& row : report["alone_and_both"]) {
        print("  plu    %-5s %10.4g ms", text_of(row, "devices"), row["ms"].get<double>());
        for (auto& [device, share] : row["shares"].items())
            print("  %s: %.3g %% of the systems in %.4g ms", device.c_str(),
                  share["percent"].get<double>(), share["ms"].get<double>());
        print("\n");
    }
    print("  both are %.3g times as fast as the faster one\n", report["gain"].get<double>());
    print("  differences after ten steps, CPU alone and both:");
    for (auto& [field, difference] : report["differences"].items())
        print("  %s mean %.2e largest %.2e", field.c_str(), difference["mean"].get<double>(),
              difference["largest"].get<double>());
    print("\n");
}

}  // namespace tl
