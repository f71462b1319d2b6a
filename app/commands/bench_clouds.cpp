// `treelight bench clouds`: processing of a point cloud, stage by stage (neighbours, outliers,
// normals, sides, areas), with errors against the surface that the points were sampled from.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "app/commands/bench_points.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "renderer/scene/points/cloud_areas.h"
#include "renderer/scene/points/cloud_normals.h"
#include "renderer/scene/points/cloud_orientation.h"
#include "renderer/scene/points/cloud_outliers.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct CloudBenchOptions {
    int points = 1'000'000;
    std::string shape = "bumps";
    float thickness = 4;  ///< of a plate, in spacings
    float noise = 0;
    int repeat = 3;
    std::uint64_t seed = 1;
    std::string device = "auto", json;
};

constexpr const char* kStages[] = {"neighbours", "outliers", "normals", "sides", "areas"};
constexpr std::size_t kStageCount = std::size(kStages);

/// Results of one run, by the order of the points.
struct CloudRun {
    double seconds[kStageCount] = {};
    double processor_seconds[kStageCount] = {};  ///< of all cores together
    CloudNeighbours cloud;
    std::vector<std::uint8_t> is_outlier;
    std::vector<vec3> normals;
    std::vector<float> areas;
};

CloudRun run_cloud(const std::vector<vec3>& points, Device& device) {
    CloudRun run;
    auto last = Clock::now();
    std::clock_t last_processor = std::clock();
    auto end_stage = [&](std::size_t stage) {
        auto now = Clock::now();
        std::clock_t processor = std::clock();
        run.seconds[stage] = std::chrono::duration<double>(now - last).count();
        run.processor_seconds[stage] =
            static_cast<double>(processor - last_processor) / CLOCKS_PER_SEC;
        last = now;
        last_processor = processor;
    };
    const vec3 up(0, 0, 1);
    run.cloud = find_neighbours(points, device);
    end_stage(0);
    run.is_outlier = find_outliers(run.cloud, 4);
    end_stage(1);
    run.normals = estimate_normals(run.cloud, up);
    end_stage(2);
    orient_normals(run.cloud, {run.is_outlier, {}, {}, up}, run.normals);
    end_stage(3);
    run.areas = estimate_areas(run.cloud, run.normals);
    end_stage(4);
    return run;
}

/// Errors of a run against the true surfels.
struct CloudErrors {
    double median_degrees = 0, p90_degrees = 0;
    std::size_t n_wrong_side = 0, n_outliers = 0;
    double area_error = 0;  ///< relative error of the sum of areas
};

CloudErrors errors_of(const CloudRun& run, const std::vector<Surfel>& truth) {
    CloudErrors errors;
    std::vector<double> degrees(run.normals.size());
    double area = 0, true_area = 0;
    for (std::size_t i = 0; i < degrees.size(); ++i) {
        auto& surfel = truth[run.cloud.order[i]];
        auto cosine = static_cast<double>(glm::dot(run.normals[i], surfel.normal));
        degrees[i] = std::acos(std::min(std::abs(cosine), 1.0)) * 180 / double{kPi};
        errors.n_wrong_side += cosine < 0;
        errors.n_outliers += run.is_outlier[i];
        area += static_cast<double>(run.areas[i]);
        true_area += static_cast<double>(surfel.area);
    }
    std::ranges::sort(degrees);
    errors.median_degrees = degrees[degrees.size() / 2];
    errors.p90_degrees = degrees[degrees.size() * 9 / 10];
    errors.area_error = area / true_area - 1;
    return errors;
}

/// Random points on a torus of radius 1 around its centre; the tube has radius 0.3.
std::vector<Surfel> torus_surfels(const CloudBenchOptions& o) {
    constexpr float kRadius = 0.3f;
    auto n = static_cast<std::size_t>(o.points);
    float area = 4 * kPi * kPi * kRadius / static_cast<float>(n);
    std::mt19937_64 random(o.seed);
    std::uniform_real_distribution<float> part;
    std::vector<Surfel> surfels;
    while (surfels.size() < n) {
        float a = 2 * kPi * part(random), b = 2 * kPi * part(random);
        if (part(random) * (1 + kRadius) > 1 + kRadius * std::cos(b)) continue;
        vec3 normal(std::cos(b) * std::cos(a), std::cos(b) * std::sin(a), std::sin(b));
        surfels.push_back({vec3(std::cos(a), std::sin(a), 0) + kRadius * normal, area, normal, 0});
    }
    return surfels;
}

/// Random points on all sides of a square plate of edge 1.
std::vector<Surfel> plate_surfels(const CloudBenchOptions& o) {
    auto n = static_cast<std::size_t>(o.points);
    float thickness = o.thickness * std::sqrt(2 / static_cast<float>(n));
    float total = 2 + 4 * thickness;
    std::mt19937_64 random(o.seed);
    std::uniform_real_distribution<float> part;
    std::vector<Surfel> surfels(n);
    for (auto& surfel : surfels) {
        float side = part(random) * total;
        int axis = side < 2 ? 2 : part(random) < 0.5f ? 0 : 1;
        vec3 size(1, 1, thickness), place;
        for (int k = 0; k < 3; ++k) place[k] = (part(random) - 0.5f) * size[k];
        surfel.normal = vec3(0);
        surfel.normal[axis] = place[axis] < 0 ? -1.0f : 1.0f;
        place[axis] = surfel.normal[axis] * size[axis] / 2;
        surfel.position = place;
        surfel.area = total / static_cast<float>(n);
    }
    return surfels;
}

/// Displaces points along their normals. `noise`: standard deviation, in units of the distance
/// between points of a square grid.
void add_noise(std::vector<Surfel>& surfels, float noise, std::uint64_t seed) {
    if (noise == 0) return;
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    for (auto& surfel : surfels)
        surfel.position += noise * std::sqrt(surfel.area) * normal(random) * surfel.normal;
}

void bench_clouds(const CloudBenchOptions& o) {
    begin_report(o.json);
    Device& device = find_device(o.device);
    auto surfels = o.shape == "torus"   ? torus_surfels(o)
                   : o.shape == "plate" ? plate_surfels(o)
                                        : bumpy_surfels(o.points, o.seed);
    add_noise(surfels, o.noise, o.seed);
    std::vector<vec3> points(surfels.size());
    std::ranges::transform(surfels, points.begin(), &Surfel::position);
    std::vector<double> seconds[kStageCount], processor[kStageCount], all, all_processor;
    CloudErrors errors;
    std::string shape = o.shape == "bumps" ? "a surface with bumps" : "a " + o.shape;
    print("%d points of %s, noise of %g spacings, neighbours on %s, median of %d\n", o.points,
          shape.c_str(), static_cast<double>(o.noise), device.name().c_str(), o.repeat);
    // Progress counts runs, since every run has all stages.
    BenchProgress progress(static_cast<std::size_t>(o.repeat), "runs");
    for (int i = 0; i < o.repeat; ++i) {
        progress.begin("");
        CloudRun run = run_cloud(points, device);
        progress.end();
        double sum = 0, processor_sum = 0;
        for (std::size_t k = 0; k < kStageCount; ++k) {
            seconds[k].push_back(run.seconds[k]);
            processor[k].push_back(run.processor_seconds[k]);
            sum += run.seconds[k];
            processor_sum += run.processor_seconds[k];
        }
        all.push_back(sum);
        all_processor.push_back(processor_sum);
        if (i == 0) errors = errors_of(run, surfels);
    }
    TextTable table("stage");
    auto print_stage = [&](const char* name, double taken, double of_processors) {
        table.row(name).number("s", taken).number("processor s", of_processors).print();
    };
    Json stages = Json::object(), processor_stages = Json::object();
    for (std::size_t k = 0; k < kStageCount; ++k) {
        print_stage(kStages[k], median(seconds[k]), median(processor[k]));
        stages[kStages[k]] = median(seconds[k]);
        processor_stages[kStages[k]] = median(processor[k]);
    }
    print_stage("all", median(all), median(all_processor));
    print(
        "normals off by %.3f degrees (median), %.2f (90 %%); %zu on the wrong side; sum of areas "
        "off by %+.3f %%; %zu outliers\n",
        errors.median_degrees, errors.p90_degrees, errors.n_wrong_side, 100 * errors.area_error,
        errors.n_outliers);
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "clouds"},
                        {"machine", machine_report()},
                        {"device", device.name()},
                        {"points", o.points},
                        {"shape", o.shape},
                        {"thickness", o.thickness},
                        {"noise", o.noise},
                        {"repeat", o.repeat},
                        {"seed", o.seed},
                        {"stages_s", stages},
                        {"processor_stages_s", processor_stages},
                        {"all_s", median(all)},
                        {"all_processor_s", median(all_processor)},
                        {"normal_error_degrees",
                         {{"median", errors.median_degrees}, {"p90", errors.p90_degrees}}},
                        {"wrong_side", errors.n_wrong_side},
                        {"area_error", errors.area_error},
                        {"outliers", errors.n_outliers}});
}

}  // namespace

void add_bench_clouds_command(CLI::App& bench) {
    auto o = std::make_shared<CloudBenchOptions>();
    auto* clouds =
        bench.add_subcommand("clouds", "Normals, sides, areas and outliers of clouds of points");
    add_value(*clouds, "--points", o->points, "N", "points at random on a closed surface")
        ->check(between(1000, 100'000'000));
    add_value(*clouds, "--shape", o->shape, "NAME", "of the surface: bumps, torus or plate")
        ->check(CLI::IsMember({"bumps", "torus", "plate"}));
    add_value(*clouds, "--thickness", o->thickness, "S", "of the plate, in spacings of its points")
        ->check(between(0.0f, 1000.0f));
    add_value(*clouds, "--noise", o->noise, "S",
              "moves points off the surface, by a standard deviation of so many spacings")
        ->check(between(0.0f, 100.0f));
    add_device_option(*clouds, o->device);
    add_value(*clouds, "--repeat", o->repeat, "N", "how often each time is measured")
        ->check(between(1, 100000));
    add_value(*clouds, "--seed", o->seed, "K", "seed of the points");
    add_json_option(*clouds, o->json);
    clouds->callback([o] { bench_clouds(*o); });
}

}  // namespace tl
