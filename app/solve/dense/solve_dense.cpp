// `treelight solve lu|rref|solve|inverse`: solves with a matrix from a file or a generator, and
// writes the results.
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/solve/dense/dense_problem.h"
#include "app/solve/dense/dense_row.h"
#include "app/solve/dense/dense_text.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolveDenseOptions {
    DenseTask task;
    std::string device = "auto", precision = "double", out;
};

/// File name endings of a problem's results; the report comes last.
std::vector<std::string> dense_endings(DenseProblem problem) {
    if (problem == DenseProblem::lu) return {"_L.npy", "_U.npy", "_p.npy", ".json"};
    if (problem == DenseProblem::rref) return {"_R.npy", ".json"};
    return {"_X.npy", ".json"};
}

/// Writes the files of a result. All are complete before the first replaces an older one; the
/// report comes last.
template <class T>
void write_dense_result(const std::string& prefix, const DenseFiles<T>& result,
                        const Json& report) {
    std::vector<std::unique_ptr<FileWriter>> files;
    auto add = [&](const std::string& ending) -> FileWriter& {
        return *files.emplace_back(std::make_unique<FileWriter>(prefix + ending));
    };
    for (auto& [ending, matrix] : result.matrices) {
        auto& file = add(ending + ".npy");
        const std::size_t shape[] = {static_cast<std::size_t>(matrix.rows),
                                     static_cast<std::size_t>(matrix.cols)};
        write_npy_header(file, sizeof(T) == 8 ? "<f8" : "<f4", shape, true);
        auto bytes = std::as_bytes(std::span(matrix.data));
        file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    if (result.has_order) {
        auto& file = add("_p.npy");
        const std::size_t shape[] = {result.order.size()};
        write_npy_header(file, "<i4", shape);
        auto bytes = std::as_bytes(std::span(result.order));
        file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    add(".json").write(json_text(report));
    std::vector<FileWriter*> in_order;
    for (auto& file : files) in_order.push_back(file.get());
    finish_together(in_order);
}

void print_dense_report(const Json& report) {
    print("%s of %dx%d %s by %s on %s: %.4g s\n", text_of(report, "kind"),
          report["rows"].get<int>(), report["cols"].get<int>(), text_of(report, "precision"),
          text_of(report, "mode"), text_of(report, "device"), report["seconds"].get<double>());
    constexpr int kAccuracyDigits = 3, kDigits = 9;
    auto print_entries = [&](const char* part, int digits) {
        for (auto& [key, value] : report[part].items())
            if (!value.is_array())
                print("%-20s %s\n", dense_name(key).c_str(),
                      dense_value(key, value, digits).c_str());
    };
    print_entries("accuracy", kAccuracyDigits);
    print_entries("results", kDigits);
    for (auto& stage : report["stages"])
        print("%-20s %.3f ms\n", text_of(stage, "name"), stage["ms"].get<double>());
}

template <class T>
void solve_dense(const SolveDenseOptions& o) {
    if (!o.out.empty())
        for (auto& ending : dense_endings(o.task.problem)) require_writable(o.out + ending);
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    SolverRun run;
    DenseFiles<T> files;
    auto solved = run_dense<T>(*stream, o.task, run, o.out.empty() ? nullptr : &files);
    Json report{{"schema", 1},
                {"kind", id_of(o.task.problem)},
                {"machine", machine_report()},
                {"device", device_id(device.kind())},
                {"matrix", matrix_json(o.task.input)},
                {"precision", o.precision},
                {"settings", o.task.settings}};
    report.update(solved);
    print_dense_report(report);
    if (!o.out.empty()) write_dense_result(o.out, files, report);
}

void add_dense_solver(CLI::App& solve, DenseProblem problem, const char* out_help) {
    auto o = std::make_shared<SolveDenseOptions>();
    o->task.problem = problem;
    o->task.input.spec.rows = o->task.input.spec.cols = 0;
    auto& family = find_row(solver_families(), id_of(problem), "family of solvers");
    auto* command = solve.add_subcommand(family.id, family.help);
    add_matrix_flags(*command, o->task.input, "seed of the matrix");
    bool is_rref = problem == DenseProblem::rref;
    if (problem == DenseProblem::solve) {
        auto* right = command
                          ->add_option("--rhs", o->task.right_file,
                                       "right sides to read, one a column: .npy or .mtx")
                          ->type_name("FILE");
        add_value(*command, "--sides", o->task.n_right, "N",
                  "uniform random right sides, where none are read")
            ->check(between(1, 1 << 20))
            ->excludes(right);
    }
    if (is_rref)
        add_value(*command, "--tolerance", o->task.tolerance, "T",
                  "magnitudes up to which a column has no pivot; below 0: 8 max(rows, columns) eps "
                  "times the largest length of a column")
            ->check(between(-1.0, 1e300));
    else
        command
            ->add_option(
                "--mode", o->task.mode,
                "way to solve it, first of the device by default: " + dense_mode_ids(problem))
            ->type_name("ID");
    add_device_option(*command, o->device);
    add_value(*command, "--precision", o->precision, "TYPE", "float or double")
        ->check(CLI::IsMember({"float", "double"}));
    command->add_option("--out", o->out, out_help)->type_name("PREFIX");
    if (problem == DenseProblem::lu || problem == DenseProblem::inverse)
        add_dense_setting_flags(*command, o->task.settings);
    command->callback([o, name = "solve " + family.id] {
        complete_matrix(o->task.input, name);
        if (o->precision == "float")
            solve_dense<float>(*o);
        else
            solve_dense<double>(*o);
    });
}

}  // namespace

void add_solve_dense_commands(CLI::App& solve) {
    add_dense_solver(solve, DenseProblem::lu,
                     "also write PREFIX_L.npy, PREFIX_U.npy, PREFIX_p.npy with A[p] = L U, and "
                     "PREFIX.json");
    add_dense_solver(solve, DenseProblem::rref,
                     "also write PREFIX_R.npy, and PREFIX.json with pivots");
    add_dense_solver(solve, DenseProblem::solve, "also write PREFIX_X.npy and PREFIX.json");
    add_dense_solver(solve, DenseProblem::inverse, "also write PREFIX_X.npy and PREFIX.json");
}

}  // namespace tl
