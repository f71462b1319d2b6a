// `treelight bench pose`: how fast and how exactly poses are found at shares of wrong matches and
// levels of noise, over many random scenes, and libraries on the same matches in the same run.
#include <cstdio>

#include "accel/parallel/registry.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/solve/pose/pose_job.h"
#include "app/solve/pose/pose_row.h"
#include "solvers/pose/five_point.h"
#include "solvers/pose/random_views.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchPoseOptions {
    std::string kind = "relative", device = "auto";
    std::vector<std::string> modes{"fused"};
    std::vector<double> outliers{0, 0.5, 0.7}, noise{0.5};
    std::size_t count = 2000, scenes = 100, solves = 100'000;
    std::uint64_t seed = 1;
    bool peers = false;
    std::string json;
    std::map<std::string, std::string> settings;
};

std::vector<std::string> modes_of(const BenchPoseOptions& o, const Device& device, PoseKind kind) {
    auto modes = o.modes;
    for (auto& id : modes) (void)make_pose_solver(id, device);
    if (!o.peers) return modes;
    // Libraries run on the CPU alone.
    for (auto& row : pose_solvers())
        if (row.peer && row.make_cpu()->takes(kind)) modes.push_back(row.id);
    return modes;
}

Json quantiles(const std::vector<double>& of) {
    return {{"median", median(of)}, {"p95", p95(of)}, {"largest", quantile(of, 1)}};
}

/// Estimates the poses of many scenes by one mode.
Json measure_mode(Stream& stream, const std::string& mode, PoseKind kind, const ViewsSpec& base,
                  const BenchPoseOptions& o) {
    auto solver = make_configured_pose(mode, stream.device(), o.settings);
    std::vector<double> milliseconds, rotation, translation, focal, samples;
    std::size_t n_right = 0;
    for (std::size_t scene = 0; scene <= o.scenes; ++scene) {
        ViewsSpec spec = base;
        // The first scene comes twice: once to warm up.
        spec.seed = o.seed + (scene == 0 ? 0 : scene - 1);
        auto views = make_views(spec);
        SolverRun run;
        auto estimate = solver->estimate(stream, kind, views.camera, views.matches, run);
        if (scene == 0) continue;
        auto error = pose_error(estimate.pose, views.pose, kind);
        milliseconds.push_back(1e3 * estimate.seconds);
        rotation.push_back(error.rotation);
        translation.push_back(error.translation);
        focal.push_back(std::abs(estimate.pose.focal / views.pose.focal - 1));
        samples.push_back(static_cast<double>(estimate.n_samples));
        constexpr double kRight = 1;  // degree
        n_right += error.rotation < kRight ? 1 : 0;
    }
    Json row{{"mode", mode},
             {"device", device_id(stream.device().kind())},
             {"milliseconds", quantiles(milliseconds)},
             {"rotation_degrees", quantiles(rotation)},
             {"translation", quantiles(translation)}};
    if (finds_focal(kind)) row["focal_error"] = quantiles(focal);
    row["samples"] = quantiles(samples);
    row["right"] = static_cast<double>(n_right) / static_cast<double>(o.scenes);
    return row;
}

void print_pose_mode(const Json& row) {
    print(
        "  %-17s %9.3f ms (p95 %9.3f)  rotation %.4f (p95 %.4f)  translation %.4f (p95 %.4f)  "
        "within 1 degree %5.1f %%  samples %.0f\n",
        text_of(row, "mode"), row["milliseconds"]["median"].get<double>(),
        row["milliseconds"]["p95"].get<double>(), row["rotation_degrees"]["median"].get<double>(),
        row["rotation_degrees"]["p95"].get<double>(), row["translation"]["median"].get<double>(),
        row["translation"]["p95"].get<double>(), 100 * row["right"].get<double>(),
        row["samples"]["median"].get<double>());
    std::fflush(stdout);
}

/// Essential matrices of many fives of matches without noise: the rate, and how far the nearest
/// one is from the truth.
Json measure_five_point(Stream& stream, const BenchPoseOptions& o, FivePointRoute route) {
    constexpr std::size_t kFive = 5;
    std::vector<PointPair> pairs;
    std::vector<double> truth;
    pairs.reserve(kFive * o.solves);
    for (std::size_t i = 0; i < o.solves; ++i) {
        auto views = make_views({PoseKind::relative, ViewsKind::general, kFive, 0, 0, o.seed + i});
        auto& camera = views.camera;
        for (std::size_t k = 0; k < kFive; ++k) {
            const double* m = views.matches.data() + 4 * k;
            pairs.push_back({(m[0] - camera.cx) / camera.fx, (m[1] - camera.cy) / camera.fy,
                             (m[2] - camera.cx) / camera.fx, (m[3] - camera.cy) / camera.fy});
        }
        double e[9];
        motion::essential_of(views.pose, e);
        for (double x : e) truth.push_back(x / std::sqrt(2.0));
    }
    DeviceArray<PointPair> on_device(stream, std::span<const PointPair>(pairs));
    DeviceArray<double> essentials(stream, o.solves * kMostEssentials * 9);
    DeviceArray<int> n_found(stream, o.solves);
    std::vector<double> seconds;
    constexpr int kRepeats = 5;
    for (int i = 0; i <= kRepeats; ++i) {
        stream.synchronize();
        auto start = std::chrono::steady_clock::now();
        TL_DISPATCH(stream.device(), five_point(stream, on_device.view(), o.solves,
                                                essentials.view(), n_found.view(), route));
        stream.synchronize();
        std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (i > 0) seconds.push_back(time.count());
    }
    auto found = essentials.download(stream);
    auto n = n_found.download(stream);
    std::vector<double> errors;
    std::size_t n_lost = 0, n_solutions = 0;
    for (std::size_t i = 0; i < o.solves; ++i) {
        double best = std::numeric_limits<double>::infinity();
        n_solutions += static_cast<std::size_t>(n[i]);
        for (std::size_t k = 0; k < static_cast<std::size_t>(n[i]); ++k) {
            double plus = 0, minus = 0;
            for (std::size_t j = 0; j < 9; ++j) {
                double own = found[(i * kMostEssentials + k) * 9 + j], other = truth[9 * i + j];
                plus += (own - other) * (own - other);
                minus += (own + other) * (own + other);
            }
            best = std::min(best, std::sqrt(std::min(plus, minus)));
        }
        constexpr double kLost = 1e-6;
        n_lost += best < kLost ? 0 : 1;
        errors.push_back(best);
    }
    double rate = static_cast<double>(o.solves) / median(seconds);
    const char* name = route == FivePointRoute::sturm ? "Sturm's chain" : "the action matrix";
    print(
        "%zu five-point problems without noise by %s: %.4g a second, %.2f solutions each, error "
        "median %.1e, largest %.1e, %zu lost beyond 1e-6\n",
        o.solves, name, rate, static_cast<double>(n_solutions) / static_cast<double>(o.solves),
        median(errors), quantile(errors, 1), n_lost);
    return {{"route", name},
            {"count", o.solves},
            {"per_second", rate},
            {"error", quantiles(errors)},
            {"lost", n_lost}};
}

void bench_pose(const BenchPoseOptions& o) {
    auto kind = find_row(pose_kinds(), o.kind, "kind of pose").kind;
    Device& device = find_device(o.device);
    auto modes = modes_of(o, device, kind);
    begin_report(o.json);
    auto stream = device.create_stream();
    auto on_cpu = find_device("cpu").create_stream();
    print("%s; %zu scenes of %zu matches, %s\n", device.name().c_str(), o.scenes, o.count,
          o.kind.c_str());
    Json solvers = Json::array();
    if (kind == PoseKind::relative && o.solves > 0)
        for (auto route : {FivePointRoute::action, FivePointRoute::sturm})
            solvers.push_back(measure_five_point(*stream, o, route));
    Json cases = Json::array();
    for (double noise : o.noise)
        for (double outliers : o.outliers) {
            print("noise %g pixels, %g %% wrong\n", noise, 100 * outliers);
            Json rows = Json::array();
            ViewsSpec spec{kind, ViewsKind::general, o.count, noise, outliers, 0};
            for (auto& mode : modes) {
                bool peer = find_row(pose_solvers(), mode, "pose mode").peer;
                rows.push_back(measure_mode(peer ? *on_cpu : *stream, mode, kind, spec, o));
                print_pose_mode(rows.back());
            }
            cases.push_back({{"noise", noise}, {"outliers", outliers}, {"modes", rows}});
        }
    Json report{{"schema", 1},
                {"kind", "pose"},
                {"machine", machine_report()},
                {"device", device.name()},
                {"pose", o.kind},
                {"matches", o.count},
                {"scenes", o.scenes},
                {"seed", o.seed},
                {"settings", o.settings},
                {"five_point", solvers},
                {"cases", cases}};
    if (!o.json.empty()) write_json(o.json, report);
}

}  // namespace

void add_bench_pose_command(CLI::App& bench) {
    auto o = std::make_shared<BenchPoseOptions>();
    auto* pose = bench.add_subcommand(
        "pose", "How fast and how exactly poses are found among wrong matches");
    auto add_list = [&](const char* flag, auto& list, const char* type, const std::string& help) {
        return pose->add_option(flag, list, help)
            ->type_name(type)
            ->delimiter(',')
            ->allow_extra_args(false)
            ->capture_default_str();
    };
    add_value(*pose, "--kind", o->kind, "KIND", "what is found: " + ids_of(pose_kinds()));
    add_list("--modes", o->modes, "ID,...", "ways to estimate it: " + ids_of(pose_solvers()));
    add_list("--outliers", o->outliers, "SHARE,...", "shares of wrong matches")
        ->check(between(0.0, 0.99));
    add_list("--noise", o->noise, "PIXELS,...", "standard deviation of image coordinates")
        ->check(between(0.0, 100.0));
    add_value(*pose, "--matches", o->count, "N", "matches of a scene")
        ->check(between<std::size_t>(10, 10'000'000));
    add_value(*pose, "--scenes", o->scenes, "N", "random scenes of each case")
        ->check(between<std::size_t>(1, 1'000'000));
    add_value(*pose, "--solves", o->solves, "N",
              "problems for the rate of the five-point solver; 0: none")
        ->check(between<std::size_t>(0, 10'000'000));
    pose->add_flag("--peers", o->peers, "also measure every library, on the CPU");
    add_device_option(*pose, o->device);
    add_value(*pose, "--seed", o->seed, "K", "seed of the first scene");
    add_json_option(*pose, o->json);
    add_pose_setting_flags(*pose, o->settings);
    pose->callback([o] { bench_pose(*o); });
}

}  // namespace tl
