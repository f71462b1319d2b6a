// `treelight solve pose`: estimates a pose from a file of matches and writes it.
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

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolvePoseOptions {
    std::string matches, kind = "relative", mode = "fused", device = "auto", out;
    std::vector<double> camera;  ///< fx, fy, cx, cy; or cx, cy
    std::map<std::string, std::string> settings;
};

PinholeCamera camera_of(const SolvePoseOptions& o, PoseKind kind) {
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

/// The files that --out names; without E for absolute poses.
std::vector<std::string> output_names(const std::string& out, PoseKind kind) {
    std::vector<std::string> names{out + "_R.npy", out + "_t.npy", out + "_inliers.npy"};
    if (is_relative(kind)) names.push_back(out + "_E.npy");
    names.push_back(out + ".json");
    return names;
}

void write_results(const std::string& out, PoseKind kind, const PoseEstimate& estimate,
                   const Json& report) {
    auto names = output_names(out, kind);
    std::vector<std::unique_ptr<FileWriter>> files;
    files.push_back(array_file(names[0], "<f8", {3, 3}, estimate.pose.rotation));
    files.push_back(array_file(names[1], "<f8", {3}, estimate.pose.translation));
    files.push_back(
        array_file(names[2], "|b1", {estimate.inliers.size()}, estimate.inliers.data()));
    if (is_relative(kind)) files.push_back(array_file(names[3], "<f8", {3, 3}, estimate.essential));
    files.push_back(std::make_unique<FileWriter>(names.back()));
    files.back()->write(json_text(report));
    std::vector<FileWriter*> in_order;
    for (auto& file : files) in_order.push_back(file.get());
    finish_together(in_order);
}

void print_estimate(const PoseEstimate& e, PoseKind kind, const Json& report) {
    print("%zu matches, %zu inliers (%.1f %%), error %.3g pixels rms\n", e.inliers.size(),
          e.n_inliers,
          100 * static_cast<double>(e.n_inliers) / static_cast<double>(e.inliers.size()), e.rms);
    const double* r = e.pose.rotation;
    for (int i = 0; i < 3; ++i)
        print("%s % .9f % .9f % .9f   %s % .9g\n", i == 0 ? "R =" : "   ", r[3 * i], r[3 * i + 1],
              r[3 * i + 2], i == 0 ? "t =" : "   ", e.pose.translation[i]);
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
    if (!o.out.empty()) {
        if (std::string old = o.out + "_E.npy"; !is_relative(kind) && std::filesystem::exists(old))
            throw UserError(old +
                            ": is of an earlier run, and would stay beside the new pose; "
                            "remove it, or choose another --out");
        for (auto& name : output_names(o.out, kind)) require_writable(name);
    }
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
                {"device", device_id(device.kind())},
                {"pose", o.kind},
                {"matches", {{"file", o.matches}, {"count", estimate.inliers.size()}}},
                {"camera", o.camera},
                {"mode", o.mode},
                {"settings", o.settings}};
    report.update(pose_json(estimate, kind));
    print_estimate(estimate, kind, report);
    if (!o.out.empty()) write_results(o.out, kind, estimate, report);
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
                     "length is to be found")
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
                     "also write PREFIX_R.npy, PREFIX_t.npy, PREFIX_E.npy (of two views), "
                     "PREFIX_inliers.npy and PREFIX.json; X2 = R X1 + t")
        ->type_name("PREFIX");
    add_pose_setting_flags(*pose, o->settings);
    pose->callback([o] { run_solve_pose(*o); });
}

}  // namespace tl
