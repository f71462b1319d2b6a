// `treelight bench pose`: speed and accuracy of pose estimation over many random scenes, at
// fractions of wrong matches and levels of noise. Measures libraries on the same matches in the
// same run.
#include <cstdio>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/solve/pose/pose_problem.h"
#include "app/solve/pose/pose_row.h"
#include "app/solve/solver_bench.h"
#include "core/device/registry.h"
#include "solvers/pose/minimal/five_point.h"
#include "solvers/pose/random_views.h"
#include "solvers/pose/ransac/error_bound.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchPoseOptions {
    std::string kind = "relative", views = "general", device = "auto";
    std::vector<std::string> modes{"fused"};
    std::vector<double> outliers{0, 0.5, 0.7}, noise{0.5};
    std::vector<std::size_t> counts{2000}, solves{100'000};
    std::size_t scenes = 100;
    std::uint64_t seed = 1;
    bool peers = false, stages = false;
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
                  const BenchPoseOptions& o, const ReadProgress& progress) {
    auto solver = make_configured_pose(mode, stream.device(), o.settings);
    solver->time_stages(o.stages);
    std::vector<double> milliseconds, rotation, translation, focal, samples;
    std::vector<StageTime> stages;
    std::size_t n_right = 0;
    for (std::size_t scene = 0; scene <= o.scenes; ++scene) {
        progress.report_work("scenes",
                             static_cast<double>(scene) / static_cast<double>(o.scenes + 1));
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
        add_times(stages, estimate.stages);
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
    // Mean times of the stages over all scenes.
    for (auto& stage : stages)
        row["stages"][stage.name] = double(stage.milliseconds) / static_cast<double>(o.scenes);
    return row;
}

/// Median errors of a case's scenes that no estimator can undercut.
Json measure_bound(const ViewsSpec& base, const BenchPoseOptions& o, BenchProgress& progress) {
    progress.begin("bound");
    std::vector<double> rotation, translation;
    for (std::size_t scene = 0; scene < o.scenes && base.noise > 0; ++scene) {
        progress.phases().report_work("scenes",
                                      static_cast<double>(scene) / static_cast<double>(o.scenes));
        ViewsSpec spec = base;
        spec.seed = o.seed + scene;
        constexpr std::size_t kDraws = 16;
        for (auto& error : errors_at_bound(spec, kDraws)) {
            rotation.push_back(error.rotation);
            translation.push_back(error.translation);
        }
    }
    progress.end();
    if (rotation.empty()) return nullptr;
    print("  %-17s %33s rotation %.4f (p95 %.4f)  translation %.4f (p95 %.4f)\n", "bound", "",
          median(rotation), p95(rotation), median(translation), p95(translation));
    return {{"rotation_degrees", quantiles(rotation)}, {"translation", quantiles(translation)}};
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
    if (row.contains("stages"))
        for (auto& [name, milliseconds] : row["stages"].items())
            print("    %-15s %9.4f ms\n", name.c_str(), milliseconds.get<double>());
}

/// Sets of five matches without noise, and their essential matrices.
struct FivePointProblems {
    std::vector<PointPair> pairs;
    std::vector<double> truth;
};

FivePointProblems make_problems(ViewsKind kind, std::size_t count, std::uint64_t seed) {
    constexpr std::size_t kFive = 5;
    FivePointProblems problems;
    problems.pairs.reserve(kFive * count);
    for (std::size_t i = 0; i < count; ++i) {
        auto views = make_views({PoseKind::relative, kind, kFive, 0, 0, seed + i});
        auto& camera = views.camera;
        for (std::size_t k = 0; k < kFive; ++k) {
            const double* m = views.matches.data() + 4 * k;
            problems.pairs.push_back(
                {(m[0] - camera.cx) / camera.fx, (m[1] - camera.cy) / camera.fy,
                 (m[2] - camera.cx) / camera.fx, (m[3] - camera.cy) / camera.fy});
        }
        double e[9];
        motion::essential_of(views.pose, e);
        for (double x : e) problems.truth.push_back(x / std::sqrt(2.0));
    }
    return problems;
}

/// Distance from the true matrix, up to sign, to the nearest matrix of a problem.
double nearest_error(const double* found, int n_found, const double* truth) {
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < n_found; ++k) {
        double plus = 0, minus = 0;
        for (int j = 0; j < 9; ++j) {
            double own = found[9 * k + j];
            plus += (own - truth[j]) * (own - truth[j]);
            minus += (own + truth[j]) * (own + truth[j]);
        }
        best = std::min(best, std::sqrt(std::min(plus, minus)));
    }
    return best;
}

/// Computes the essential matrices of `count` problems; reports the rate and the error of the
/// nearest matrix of each.
Json measure_five_point(Stream& stream, const FivePointProblems& problems, std::size_t count,
                        FivePointRoute route, BenchProgress& progress) {
    progress.begin(std::to_string(count) + " five-point problems");
    DeviceArray<PointPair> on_device(stream, std::span(problems.pairs).first(5 * count));
    DeviceArray<double> essentials(stream, count * kMostEssentials * 9);
    DeviceArray<int> n_found(stream, count);
    std::vector<double> seconds;
    std::size_t n_left = 0;
    constexpr int kRepeats = 5;
    for (int i = 0; i <= kRepeats; ++i) {
        stream.synchronize();
        auto start = std::chrono::steady_clock::now();
        TL_DISPATCH(stream.device(), five_point(stream, on_device.view(), count, essentials.view(),
                                                n_found.view(), route, i == 0 ? &n_left : nullptr));
        stream.synchronize();
        std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (i > 0) seconds.push_back(time.count());
    }
    auto found = essentials.download(stream);
    auto n = n_found.download(stream);
    std::vector<double> errors;
    std::size_t n_lost = 0, n_solutions = 0;
    for (std::size_t i = 0; i < count; ++i) {
        constexpr double kLost = 1e-6;
        errors.push_back(
            nearest_error(&found[i * kMostEssentials * 9], n[i], &problems.truth[9 * i]));
        n_solutions += static_cast<std::size_t>(n[i]);
        n_lost += errors.back() < kLost ? 0 : 1;
    }
    auto share = [&](std::size_t of) {
        return static_cast<double>(of) / static_cast<double>(count);
    };
    double rate = static_cast<double>(count) / median(seconds);
    const char* name = route == FivePointRoute::sturm ? "Sturm's chain" : "the action matrix";
    progress.end();
    print("%zu five-point problems without noise by %s: %.4g a second, %.2f solutions each, ",
          count, name, rate, share(n_solutions));
    if (route == FivePointRoute::sturm)
        print("%.2f %% left to the action matrix, ", 100 * share(n_left));
    print("error median %.1e, largest %.1e, %zu lost beyond 1e-6\n", median(errors),
          quantile(errors, 1), n_lost);
    return {{"route", name},
            {"count", count},
            {"per_second", rate},
            {"left", n_left},
            {"error", quantiles(errors)},
            {"lost", n_lost}};
}

Json measure_five_points(Stream& stream, const BenchPoseOptions& o, ViewsKind views,
                         BenchProgress& progress) {
    Json rows = Json::array();
    auto most = o.solves.empty() ? 0 : std::ranges::max(o.solves);
    auto problems = make_problems(views, most, o.seed);
    for (auto count : o.solves)
        for (auto route : {FivePointRoute::action, FivePointRoute::sturm})
            if (count > 0)
                rows.push_back(measure_five_point(stream, problems, count, route, progress));
    return rows;
}

/// Measures all modes at one noise level and fraction of wrong matches.
Json measure_case(Stream& stream, Stream& on_cpu, const std::vector<std::string>& modes,
                  const ViewsSpec& spec, const BenchPoseOptions& o, BenchProgress& progress) {
    print("%zu matches, noise %g pixels, %g %% wrong\n", spec.count, spec.noise,
          100 * spec.outliers);
    Json rows = Json::array();
    for (auto& mode : modes) {
        bool peer = find_row(pose_solvers(), mode, "pose mode").peer;
        progress.begin(mode);
        rows.push_back(
            measure_mode(peer ? on_cpu : stream, mode, spec.pose, spec, o, progress.phases()));
        progress.end();
        print_pose_mode(rows.back());
    }
    auto bound = measure_bound(spec, o, progress);
    return {{"matches", spec.count},
            {"noise", spec.noise},
            {"outliers", spec.outliers},
            {"modes", rows},
            {"bound", bound}};
}

void bench_pose(const BenchPoseOptions& o) {
    auto kind = find_row(pose_kinds(), o.kind, "kind of pose").kind;
    auto views = find_row(views_kinds(), o.views, "kind of views").kind;
    Device& device = find_device(o.device);
    auto modes = modes_of(o, device, kind);
    begin_report(o.json);
    auto stream = device.create_stream();
    auto on_cpu = find_device("cpu").create_stream();
    print("%s; %zu scenes, %s, views: %s\n", device.name().c_str(), o.scenes, o.kind.c_str(),
          o.views.c_str());
    bool solves_fives = kind == PoseKind::relative;
    BenchProgress progress(o.counts.size() * o.noise.size() * o.outliers.size() *
                               (o.scenes > 0 ? modes.size() + 1 : 0) +
                           (solves_fives ? 2 * o.solves.size() : 0));
    Json solvers = Json::array();
    if (solves_fives) solvers = measure_five_points(*stream, o, views, progress);
    Json cases = Json::array();
    for (auto count : o.counts)
        for (double noise : o.noise)
            for (double outliers : o.outliers)
                if (o.scenes > 0)
                    cases.push_back(measure_case(*stream, *on_cpu, modes,
                                                 {kind, views, count, noise, outliers, 0}, o,
                                                 progress));
    Json report{{"schema", 1},
                {"kind", "pose"},
                {"machine", machine_report()},
                {"device", device.name()},
                {"pose", o.kind},
                {"views", o.views},
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
    add_value(*pose, "--kind", o->kind, "KIND", "what is found: " + ids_of(pose_kinds()));
    add_value(*pose, "--views", o->views, "KIND",
              "how points lie and the camera moves: " + ids_of(views_kinds()));
    add_list(*pose, "--modes", o->modes, "ID,...",
             "ways to estimate it: " + ids_of(pose_solvers()));
    add_list(*pose, "--outliers", o->outliers, "SHARE,...", "shares of wrong matches")
        ->check(between(0.0, 0.99));
    add_list(*pose, "--noise", o->noise, "PIXELS,...", "standard deviation of image coordinates")
        ->check(between(0.0, 100.0));
    add_list(*pose, "--matches", o->counts, "N,...", "matches of a scene")
        ->check(between<std::size_t>(10, 10'000'000));
    add_value(*pose, "--scenes", o->scenes, "N", "random scenes of each case; 0: none")
        ->check(between<std::size_t>(0, 1'000'000));
    add_list(*pose, "--solves", o->solves, "N,...",
             "problems for the rate of the five-point solver; 0: none")
        ->check(between<std::size_t>(0, 10'000'000));
    pose->add_flag("--peers", o->peers, "also measure every library, on the CPU");
    pose->add_flag("--stages", o->stages,
                   "also time the stages on the device, which costs a little");
    add_device_option(*pose, o->device);
    add_value(*pose, "--seed", o->seed, "K", "seed of the first scene");
    add_json_option(*pose, o->json);
    add_pose_setting_flags(*pose, o->settings);
    pose->callback([o] { bench_pose(*o); });
}

}  // namespace tl
