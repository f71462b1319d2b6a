// `treelight bench lu|rref|solve|matmul`: every mode on every size of matrix, with the accuracy in
// each row, and the libraries on the same matrices in the same run.
#include <algorithm>
#include <cstdio>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/solve/dense/dense_problem.h"
#include "app/solve/dense/dense_row.h"
#include "app/solve/solver_bench.h"
#include "core/base/error.h"
#include "core/device/registry.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matmul/matmul.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchDenseOptions : SolverBench {
    DenseProblem problem = DenseProblem::lu;
    std::vector<int> sizes{1024, 2048};
    std::vector<std::string> kinds{"uniform"}, modes;
    bool peers = false;
    double condition = 1e3;
};

template <class Row>
bool is_peer(const std::vector<Row>& table, const std::string& id) {
    return std::ranges::any_of(table, [&](auto& row) { return row.id == id && row.peer; });
}

/// Modes that are named, else all of the device but those of libraries, which `peers` adds.
std::vector<std::string> wanted_dense_modes(const BenchDenseOptions& o, DeviceKind device) {
    std::vector<std::string> modes = o.modes;
    for (auto& id : dense_modes(o.problem, device)) {
        bool peer = is_peer(lu_solvers(), id) || is_peer(linear_solvers(), id) ||
                    is_peer(multipliers(), id);
        bool wanted = peer ? o.peers : o.modes.empty();
        bool has_precision =
            !(id.ends_with("tf32") || id == "refined" || id == "cusolver-irs") ||
            (id.starts_with("refined") || id == "cusolver-irs" ? o.precision == "double"
                                                               : o.precision == "float");
        if (wanted && has_precision) modes.push_back(id);
    }
    return modes;
}

/// Operations of a problem of n rows and columns, as is usual.
double dense_operations(DenseProblem problem, double n) {
    return (problem == DenseProblem::matmul ? 2 : 2.0 / 3) * n * n * n;
}

template <class T>
Json measure_dense_mode(Stream& stream, const BenchDenseOptions& o, int n, const std::string& kind,
                        const std::string& mode, const ReadProgress& progress) {
    DenseTask task;
    task.problem = o.problem;
    task.input.spec = {kind, n, n, o.condition, o.seed};
    task.mode = mode;
    task.settings = o.settings;
    Json report;
    auto seconds = repeated_seconds(o, progress, [&] {
        SolverRun run;
        report = run_dense<T>(stream, task, run, nullptr);
        return report["seconds"].template get<double>();
    });
    double middle = median(seconds);
    return {{"mode", mode},
            {"used", report["mode"]},
            {"median_s", middle},
            {"p95_s", p95(seconds)},
            {"repeats", seconds.size()},
            {"gflops", dense_operations(o.problem, n) / std::max(middle, 1e-9) / 1e9},
            {"accuracy", report["accuracy"]},
            {"stages", report["stages"]}};
}

void print_dense_row(const Json& row) {
    print("  %-16s %10.3f ms %9.1f GFLOP/s", text_of(row, "mode"),
          row["median_s"].get<double>() * 1000, row["gflops"].get<double>());
    for (auto& [name, value] : row["accuracy"].items())
        print("  %s %.2g", name.c_str(), value.get<double>());
    print("  %s\n", text_of(row, "used"));
}

void bench_dense(BenchDenseOptions o) {
    Device& device = find_device(o.device);
    complete_bench(o, device);
    for (auto& kind : o.kinds)
        for (int n : o.sizes) check_matrix({kind, n, n, o.condition, o.seed});
    auto modes = wanted_dense_modes(o, device.kind());
    begin_report(o.json);
    auto stream = device.create_stream();
    print("%s, median of %d\n", device.name().c_str(), o.repeat);
    Json matrices = Json::array();
    int n_failed = 0;
    BenchProgress progress(o.sizes.size() * o.kinds.size() * modes.size());
    for (int n : o.sizes)
        for (auto& kind : o.kinds) {
            print("%dx%d %s %s\n", n, n, kind.c_str(), o.precision.c_str());
            auto measure = [&](const std::string& mode) {
                return o.precision == "float"
                           ? measure_dense_mode<float>(*stream, o, n, kind, mode, progress.phases())
                           : measure_dense_mode<double>(*stream, o, n, kind, mode,
                                                        progress.phases());
            };
            Json rows = measure_modes(progress, modes, measure, print_dense_row, n_failed);
            matrices.push_back(
                {{"kind", kind}, {"condition", o.condition}, {"rows", n}, {"modes", rows}});
        }
    finish_bench(o, id_of(o.problem), device.name(), Json::object(), {{"matrices", matrices}},
                 "modes", n_failed);
}

void add_dense_bench(CLI::App& bench, DenseProblem problem, const char* help) {
    auto o = std::make_shared<BenchDenseOptions>();
    o->problem = problem;
    auto* command = bench.add_subcommand(id_of(problem), help);
    add_list(*command, "--sizes", o->sizes, "N,...", "rows and columns of the matrices")
        ->check(between(1, 1 << 17));
    add_list(*command, "--kinds", o->kinds, "KIND,...", "kinds of matrices, as in solve svd");
    add_value(*command, "--cond", o->condition, "C", "condition number, where the kind has one");
    if (problem != DenseProblem::rref) {
        add_list(*command, "--modes", o->modes, "ID,...",
                 "ways to solve; default: Treelight's own on the device; known: " +
                     dense_mode_ids(problem));
        command->add_flag("--peers", o->peers, "also measure every library of the device");
    }
    add_bench_flags(*command, *o, "matrix");
    if (problem == DenseProblem::lu) add_dense_setting_flags(*command, o->settings);
    command->callback([o] { bench_dense(*o); });
}

}  // namespace

void add_bench_dense_commands(CLI::App& bench) {
    add_dense_bench(bench, DenseProblem::lu, "What PLU factorisations cost, and how good they are");
    add_dense_bench(bench, DenseProblem::rref, "What reduced row echelon forms cost");
    add_dense_bench(bench, DenseProblem::solve, "What systems of linear equations cost");
    add_dense_bench(bench, DenseProblem::matmul, "What products of matrices cost");
}

}  // namespace tl
