// `treelight solve pose`: estimates a pose from a file of matches and writes it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/solve/pose/pose_problem.h"
#include "app/solve/pose/pose_row.h"
#include "core/base/files.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/pose/match_file.h"
#include "solvers/pose/triangulate.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolvePoseOptions {
    std::string matches, kind = "relative", mode = "fused", device = "auto", out, json;
    std::vector<double> camera;  ///< fx, fy, cx, cy; or cx, cy
    std::map<std::string, std::string> settings;
};

PinholeCamera camera_of(const SolvePoseOptions& o, PoseKind kind) {
    if (finds_matrix(kind)) {
        if (o.camera.empty()) return {};
        throw UsageError("solve pose --kind " + o.kind +
                         " takes no --camera: its views are uncalibrated");
    }
    const bool center_alone = finds_focal(kind);
    const std::size_t size = center_alone ? 2 : 4;
    if (o.camera.size() != size)
        throw UsageError("solve pose --kind " + o.kind + " needs --camera " +
                         (center_alone
                              ? "cx,cy: the principal point, in pixels (the focal length is found)"
                              : "fx,fy,cx,cy: focal lengths and principal point, in pixels"));
    if (center_alone) return {1, 1, o.camera[0], o.camera[1]};
    if (!(o.camera[0] > 0 && o.camera[1] > 0))
        throw UsageError("--camera: the focal lengths fx and fy must be above 0");
    return {o.camera[0], o.camera[1], o.camera[2], o.camera[3]};
}

/// Writes an array of NumPy's type `type`, row by row.
template <class T>
std::unique_ptr<FileWriter> array_file(const std::string& path, const char* type,
                                       std::vector<std::size_t> shape, const T* data) {
    auto file = std::make_unique<FileWriter>(path);
    write_npy_header(*file, type, shape);
    std::size_t count = 1;
    for (auto extent : shape) count *= extent;
    file->write({reinterpret_cast<const char*>(data), count * sizeof(T)});
    return file;
}

/// Endings of the files with the numbers of a kind.
std::vector<std::string> endings_of(PoseKind kind) {
    if (kind == PoseKind::homography) return {"_H.npy"};
    if (kind == PoseKind::fundamental) return {"_F.npy"};
    std::vector<std::string> endings{"_R.npy", "_t.npy"};
    if (is_relative(kind)) endings.insert(endings.end(), {"_E.npy", "_points.npy"});
    return endings;
}

/// Checks that the files can be written, and that none of another kind would stay beside them.
void check_outputs(const std::string& out, PoseKind kind) {
    auto endings = endings_of(kind);
    for (const char* ending : {"_R.npy", "_t.npy", "_E.npy", "_points.npy", "_H.npy", "_F.npy"})
        if (std::string old = out + ending;
            std::ranges::find(endings, ending) == endings.end() && std::filesystem::exists(old))
            throw UserError(old +
                            ": is of an earlier run, and would stay beside the new pose; "
                            "remove it, or choose another --out");
    endings.insert(endings.end(), {"_inliers.npy", ".json"});
    for (auto& ending : endings) require_writable(out + ending);
}

/// `points`: of relative poses, three numbers for each match.
void write_results(const std::string& out, PoseKind kind, const PoseEstimate& estimate,
                   const std::vector<double>& points, const Json& report) {
    std::vector<std::unique_ptr<FileWriter>> files;
    for (auto& ending : endings_of(kind)) {
        if (ending == "_points.npy") {
            files.push_back(array_file(out + ending, "<f8", {points.size() / 3, 3}, points.data()));
            continue;
        }
        const double* numbers = ending == "_R.npy"   ? estimate.pose.rotation
                                : ending == "_t.npy" ? estimate.pose.translation
                                : ending == "_E.npy" ? estimate.essential
                                                     : estimate.matrix.m;
        std::vector<std::size_t> shape{3, 3};
        if (ending == "_t.npy") shape.pop_back();
        files.push_back(array_file(out + ending, "<f8", shape, numbers));
    }
    files.push_back(array_file(out + "_inliers.npy", "|b1", {estimate.inliers.size()},
                               estimate.inliers.data()));
    files.push_back(std::make_unique<FileWriter>(out + ".json"));
    files.back()->write(json_text(report));
    std::vector<FileWriter*> in_order;
    for (auto& file : files) in_order.push_back(file.get());
    finish_together(in_order);
}

void print_unknowns(const PoseEstimate& e, PoseKind kind) {
    const bool is_matrix = finds_matrix(kind);
    const char* name = !is_matrix ? "R =" : kind == PoseKind::homography ? "H =" : "F =";
    const double* m = is_matrix ? e.matrix.m : e.pose.rotation;
    for (int i = 0; i < 3; ++i) {
        print(is_matrix ? "%s % .9e % .9e % .9e" : "%s % .9f % .9f % .9f", i == 0 ? name : "   ",
              m[3 * i], m[3 * i + 1], m[3 * i + 2]);
        if (!is_matrix) print("   %s % .9g", i == 0 ? "t =" : "   ", e.pose.translation[i]);
        print("\n");
    }
}

void print_estimate(const PoseEstimate& e, PoseKind kind, const Json& report) {
    print("%zu matches, %zu inliers (%.1f %%), error %.3g pixels rms\n", e.inliers.size(),
          e.n_inliers,
          100 * static_cast<double>(e.n_inliers) / static_cast<double>(e.inliers.size()), e.rms);
    print_unknowns(e, kind);
    if (finds_focal(kind)) print("focal length %.6g pixels\n", e.pose.focal);
    print("%llu samples, %llu models, %.4g s by %s on %s\n",
          static_cast<unsigned long long>(e.n_samples), static_cast<unsigned long long>(e.n_models),
          e.seconds, text_of(report, "mode"), text_of(report, "device"));
    if (e.doubt != PoseDoubt::none) print("doubtful: %s\n", words_of(e.doubt));
    if (e.doubt == PoseDoubt::by_chance)
        print("of wrong matches alone %.3g poses that fit as well are to be expected\n",
              std::pow(10.0, e.log_chance));
}

void run_solve_pose(const SolvePoseOptions& o) {
    if (o.matches.empty())
        throw UsageError("solve pose needs matches: --matches FILE, with lines x1,y1,x2,y2");
    auto kind = find_row(pose_kinds(), o.kind, "kind of pose").kind;
    auto camera = camera_of(o, kind);
    Device& device = find_device(o.device);
    auto solver = make_configured_pose(o.mode, device, o.settings);
    begin_report(o.json);
    if (!o.out.empty()) check_outputs(o.out, kind);
    auto matches = read_matches(o.matches, kind);
    auto stream = device.create_stream();
    SolverRun run;
    PoseEstimate estimate;
    try {
        estimate = solver->estimate(*stream, kind, camera, matches, run);
    } catch (const UserError& error) {
        throw UserError(o.matches + ": " + error.what());
    }
    Json report{{"schema", 1},
                {"kind", "pose"},
                {"machine", machine_report()},
                {"device", device.id()},
                {"pose", o.kind},
                {"matches", {{"file", o.matches}, {"count", estimate.inliers.size()}}},
                {"camera", o.camera},
                {"mode", o.mode},
                {"settings", o.settings}};
    report.update(pose_json(estimate, kind));
    print_estimate(estimate, kind, report);
    if (!o.json.empty()) write_json(o.json, report);
    if (o.out.empty()) return;
    std::vector<double> points;
    if (is_relative(kind)) points = triangulate(kind, camera, estimate, matches);
    write_results(o.out, kind, estimate, points, report);
}

}  // namespace

void add_solve_pose_command(CLI::App& solve) {
    auto o = std::make_shared<SolvePoseOptions>();
    auto& family = find_row(solver_families(), "pose", "family of solvers");
    auto* pose = solve.add_subcommand(family.id, family.help);
    pose->add_option(
            "--matches", o->matches,
            "matches to read: lines of numbers x1,y1,x2,y2 or x,y,X,Y,Z, or a .npy file of "
            "them")
        ->type_name("FILE");
    pose->add_option("--camera", o->camera,
                     "focal lengths and principal point in pixels; CX,CY alone where the focal "
                     "length is to be found; none of uncalibrated views")
        ->type_name("FX,FY,CX,CY")
        ->delimiter(',')
        ->expected(2, 4)
        ->allow_extra_args(false);
    std::string kinds;
    for (auto& row : pose_kinds()) kinds += (kinds.empty() ? "" : "; ") + row.id + ": " + row.help;
    add_value(*pose, "--kind", o->kind, "KIND", kinds);
    add_value(*pose, "--mode", o->mode, "ID", "way to estimate it: " + ids_of(pose_solvers()));
    add_device_option(*pose, o->device);
    pose->add_option("--out", o->out,
                     "also write PREFIX_R.npy, PREFIX_t.npy, of two views also PREFIX_E.npy and "
                     "PREFIX_points.npy (the inliers' points before the first camera), or "
                     "PREFIX_H.npy or PREFIX_F.npy (of uncalibrated ones), PREFIX_inliers.npy and "
                     "PREFIX.json; X2 = R X1 + t, x2 ~ H x1, x2' F x1 = 0")
        ->type_name("PREFIX");
    add_json_option(*pose, o->json);
    add_pose_setting_flags(*pose, o->settings);
    pose->callback([o] { run_solve_pose(*o); });
}

}  // namespace tl
