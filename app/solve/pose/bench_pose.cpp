// `treelight bench pose`: speed and accuracy of pose estimation over many random scenes, at
// fractions of wrong matches and levels of noise. Measures libraries on the same matches in the
// same run.
#include <cstdio>
#include <optional>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/pose/pose_problem.h"
#include "app/solve/pose/pose_row.h"
#include "app/solve/solver_bench.h"
#include "core/device/registry.h"
#include "solvers/pose/minimal/relative_hybrid.h"
#include "solvers/pose/random_views.h"
#include "solvers/pose/ransac/error_bound.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchPoseOptions {
    std::string kind = "relative", views, device = "auto";
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
    for (auto& id : modes)
        if (!make_pose_solver(id, device)->takes(kind))
            throw UsageError("bench pose --kind " + o.kind + " does not have the mode " + id);
    if (!o.peers) return modes;
    // Libraries run on the CPU alone.
    for (auto& row : pose_solvers())
        if (row.peer && row.make_cpu()->takes(kind)) modes.push_back(row.id);
    return modes;
}

Json quantiles(const std::vector<double>& of) {
    return {{"median", median(of)}, {"p95", p95(of)}, {"largest", quantile(of, 1)}};
}

/// Errors of the estimates of one mode.
class SceneErrors {
  public:
    void add(const PoseEstimate& estimate, const ViewsSpec& spec, const RandomViews& views) {
        if (finds_matrix(spec.pose)) {
            ViewsSpec exact = spec;
            exact.noise = 0;
            pixels_.push_back(matrix_error(estimate.matrix, spec.pose, make_views(exact)));
            constexpr double kRight = 1;  // pixel
            n_right_ += pixels_.back() < kRight ? 1 : 0;
            return;
        }
        auto error = pose_error(estimate.pose, views.pose, spec.pose);
        rotation_.push_back(error.rotation);
        translation_.push_back(error.translation);
        focal_.push_back(std::abs(estimate.pose.focal / views.pose.focal - 1));
        constexpr double kRight = 1;  // degree
        n_right_ += error.rotation < kRight ? 1 : 0;
    }
    void write(Json& row, PoseKind kind, std::size_t n_scenes) const {
        if (finds_matrix(kind)) {
            row["error_pixels"] = quantiles(pixels_);
        } else {
            row["rotation_degrees"] = quantiles(rotation_);
            row["translation"] = quantiles(translation_);
            if (finds_focal(kind)) row["focal_error"] = quantiles(focal_);
        }
        row["right"] = static_cast<double>(n_right_) / static_cast<double>(n_scenes);
    }

  private:
    std::vector<double> rotation_, translation_, focal_, pixels_;
    std::size_t n_right_ = 0;
};

/// Estimates the poses of many scenes by one mode.
Json measure_mode(Stream& stream, const std::string& mode, PoseKind kind, const ViewsSpec& base,
                  const BenchPoseOptions& o, const ReadProgress& progress) {
    auto solver = make_configured_pose(mode, stream.device(), o.settings);
    solver->time_stages(o.stages);
    std::vector<double> milliseconds, samples;
    std::vector<StageTime> stages;
    SceneErrors errors;
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
        errors.add(estimate, spec, views);
        milliseconds.push_back(1e3 * estimate.seconds);
        samples.push_back(static_cast<double>(estimate.n_samples));
        add_times(stages, estimate.stages);
    }
    Json row{{"mode", mode},
             {"device", stream.device().id()},
             {"milliseconds", quantiles(milliseconds)},
             {"samples", quantiles(samples)}};
    errors.write(row, kind, o.scenes);
    // Mean times of the stages over all scenes.
    for (auto& stage : stages)
        row["stages"][stage.name] = double(stage.milliseconds) / static_cast<double>(o.scenes);
    return row;
}

/// Median errors of a case's scenes that no estimator can undercut.
Json measure_bound(TextTable& table, const ViewsSpec& base, const BenchPoseOptions& o,
                   BenchProgress& progress) {
    progress.begin("bound");
    if (finds_matrix(base.pose)) {
        progress.end();
        const double bound = matrix_error_bound(base);
        table.row("bound")
            .cell("median ms", "-")
            .cell("p95 ms", "-")
            .number("error pixels", bound)
            .cell("p95 pixels", "-")
            .note("", "which no estimator can undercut")
            .print();
        return {{"error_pixels", bound}};
    }
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
    table.row("bound")
        .cell("median ms", "-")
        .cell("p95 ms", "-")
        .number("rotation deg", median(rotation))
        .number("p95 deg", p95(rotation))
        .number("translation deg", median(translation))
        .number("p95 deg", p95(translation))
        .cell("within 1 degree", "-")
        .cell("samples", "-")
        .print();
    return {{"rotation_degrees", quantiles(rotation)}, {"translation", quantiles(translation)}};
}

void print_pose_mode(TextTable& table, const Json& row) {
    auto number = [&](const char* name, const char* quantile) {
        return row[name][quantile].get<double>();
    };
    table.row(row["mode"])
        .number("median ms", number("milliseconds", "median"))
        .number("p95 ms", number("milliseconds", "p95"));
    const bool is_matrix = row.contains("error_pixels");
    if (is_matrix)
        table.number("error pixels", number("error_pixels", "median"))
            .number("p95 pixels", number("error_pixels", "p95"));
    else
        table.number("rotation deg", number("rotation_degrees", "median"))
            .number("p95 deg", number("rotation_degrees", "p95"))
            .number("translation deg", number("translation", "median"))
            .number("p95 deg", number("translation", "p95"));
    table
        .cell(is_matrix ? "within 1 pixel" : "within 1 degree",
              formatted("%.1f %%", 100 * row["right"].get<double>()))
        .cell("samples", formatted("%.0f", number("samples", "median")))
        .print();
    if (row.contains("stages"))
        for (auto& [name, milliseconds] : row["stages"].items())
            print("    %-14s  %9s\n", name.c_str(),
                  three_digits(milliseconds.get<double>()).c_str());
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

/// Essential matrices of problems, as five_point() stores them, and the times of several runs.
struct FivePointResult {
    std::vector<double> essentials, seconds;
    std::vector<int> n_found;
    std::size_t n_left = 0;
};

/// Calls run() once to warm up, then several times with a clock.
template <class Run>
std::vector<double> seconds_of(const Run& run) {
    constexpr int kRepeats = 5;
    std::vector<double> seconds;
    for (int i = 0; i <= kRepeats; ++i) {
        auto start = std::chrono::steady_clock::now();
        run();
        std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (i > 0) seconds.push_back(time.count());
    }
    return seconds;
}

/// Solves `count` problems in the memory of the stream's device.
FivePointResult solve_on_device(Stream& stream, const FivePointProblems& problems,
                                std::size_t count, FivePointRoute route) {
    DeviceArray<PointPair> on_device(stream, std::span(problems.pairs).first(5 * count));
    DeviceArray<double> essentials(stream, count * kMostEssentials * 9);
    DeviceArray<int> n_found(stream, count);
    FivePointResult result;
    auto solve = [&](std::size_t* n_left) {
        TL_DISPATCH(stream.device(), five_point(stream, on_device.view(), count, essentials.view(),
                                                n_found.view(), route, n_left));
        stream.synchronize();
    };
    solve(&result.n_left);
    result.seconds = seconds_of([&] { solve(nullptr); });
    result.essentials = essentials.download(stream);
    result.n_found = n_found.download(stream);
    return result;
}

/// Solves `count` problems in host memory by the CPU and the device.
FivePointResult solve_by_both(Device& device, const FivePointProblems& problems,
                              std::size_t count) {
    FivePointResult result;
    result.essentials.resize(count * kMostEssentials * 9);
    result.n_found.resize(count);
    RelativeHybrid solver(device, false);
    result.seconds = seconds_of([&] {
        solver.solve(std::span(problems.pairs).first(5 * count), result.essentials, result.n_found);
    });
    return result;
}

/// Reports the rate of `count` problems, and the error of the nearest matrix of each.
Json report_five_point(TextTable& table, const char* name, const FivePointProblems& problems,
                       const FivePointResult& result, bool leaves_some) {
    const std::size_t count = result.n_found.size();
    std::vector<double> errors;
    std::size_t n_lost = 0, n_solutions = 0;
    for (std::size_t i = 0; i < count; ++i) {
        constexpr double kLost = 1e-6;
        errors.push_back(nearest_error(&result.essentials[i * kMostEssentials * 9],
                                       result.n_found[i], &problems.truth[9 * i]));
        n_solutions += static_cast<std::size_t>(result.n_found[i]);
        n_lost += errors.back() < kLost ? 0 : 1;
    }
    auto share = [&](std::size_t of) {
        return static_cast<double>(of) / static_cast<double>(count);
    };
    double seconds = median(result.seconds);
    table.row(name)
        .number("median ms", 1e3 * seconds)
        .number("problems/s", static_cast<double>(count) / seconds)
        .number("solutions", share(n_solutions))
        .number("median error", median(errors))
        .number("largest error", quantile(errors, 1))
        .cell("above 1e-6", std::to_string(n_lost))
        .note("", leaves_some
                      ? formatted("%.2f %% left to the action matrix", 100 * share(result.n_left))
                      : "")
        .print();
    return {{"route", name},
            {"count", count},
            {"per_second", static_cast<double>(count) / seconds},
            {"left", result.n_left},
            {"error", quantiles(errors)},
            {"lost", n_lost}};
}

/// A way to solve five-point problems; without a route by both processors.
struct FivePointWay {
    const char* name;
    std::optional<FivePointRoute> route;
};
constexpr FivePointWay kFivePointWays[] = {{"the action matrix", FivePointRoute::action},
                                           {"the action matrix by QR", FivePointRoute::action_qr},
                                           {"Sturm's chain", FivePointRoute::sturm},
                                           {"both processors", {}}};

Json measure_five_points(Stream& stream, const BenchPoseOptions& o, ViewsKind views,
                         BenchProgress& progress) {
    Json rows = Json::array();
    auto most = o.solves.empty() ? 0 : std::ranges::max(o.solves);
    auto problems = make_problems(views, most, o.seed);
    for (auto count : o.solves) {
        if (count == 0) continue;
        constexpr int kNameWidth = 24;
        TextTable table("route", kNameWidth);
        print("%zu five-point problems without noise\n", count);
        for (auto& way : kFivePointWays) {
            progress.begin(std::to_string(count) + " five-point problems");
            auto result = way.route ? solve_on_device(stream, problems, count, *way.route)
                                    : solve_by_both(stream.device(), problems, count);
            progress.end();
            rows.push_back(report_five_point(table, way.name, problems, result,
                                             way.route == FivePointRoute::sturm));
        }
    }
    return rows;
}

/// Measures all modes at one noise level and fraction of wrong matches.
Json measure_case(Stream& stream, Stream& on_cpu, const std::vector<std::string>& modes,
                  const ViewsSpec& spec, const BenchPoseOptions& o, BenchProgress& progress) {
    print("%zu matches, noise %g pixels, %g %% wrong\n", spec.count, spec.noise,
          100 * spec.outliers);
    TextTable table("mode");
    Json rows = Json::array();
    for (auto& mode : modes) {
        bool peer = find_row(pose_solvers(), mode, "pose mode").peer;
        progress.begin(mode);
        rows.push_back(
            measure_mode(peer ? on_cpu : stream, mode, spec.pose, spec, o, progress.phases()));
        progress.end();
        print_pose_mode(table, rows.back());
    }
    auto bound = measure_bound(table, spec, o, progress);
    return {{"matches", spec.count},
            {"noise", spec.noise},
            {"outliers", spec.outliers},
            {"modes", rows},
            {"bound", bound}};
}

void bench_pose(const BenchPoseOptions& o) {
    auto kind = find_row(pose_kinds(), o.kind, "kind of pose").kind;
    const std::string views_id = !o.views.empty()               ? o.views
                                 : kind == PoseKind::homography ? "plane"
                                                                : "general";
    auto views = find_row(views_kinds(), views_id, "kind of views").kind;
    if (kind == PoseKind::homography && !has_homography(views))
        throw UsageError(
            "bench pose --kind homography needs --views plane, facing-plane or "
            "rotation: a homography relates no others");
    Device& device = find_device(o.device);
    auto modes = modes_of(o, device, kind);
    begin_report(o.json);
    auto stream = device.create_stream();
    auto on_cpu = find_device("cpu").create_stream();
    print("%s; %zu scenes, %s, views: %s\n", device.name().c_str(), o.scenes, o.kind.c_str(),
          views_id.c_str());
    bool solves_fives = kind == PoseKind::relative;
    BenchProgress progress(o.counts.size() * o.noise.size() * o.outliers.size() *
                               (o.scenes > 0 ? modes.size() + 1 : 0) +
                           (solves_fives ? std::size(kFivePointWays) * o.solves.size() : 0));
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
                {"views", views_id},
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
              "how points lie and the camera moves: " + ids_of(views_kinds()) +
                  "; general, and plane for homographies, unless given");
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
             "problems for the rates of the five-point solvers; 0: none")
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
