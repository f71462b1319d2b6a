// `treelight bench lu|rref|solve|lstsq|matmul`: every mode on every size of matrix, with the
// accuracy in each row, the libraries on the same matrices in the same run, and fits of the times
// to a + b n^3.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/dense/bench_devices.h"
#include "app/solve/dense/cubic_fit.h"
#include "app/solve/dense/dense_devices.h"
#include "app/solve/dense/dense_problem.h"
#include "app/solve/dense/dense_row.h"
#include "app/solve/dense/dense_text.h"
#include "app/solve/solver_bench.h"
#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/device/registry.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/least_squares/least_squares.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchDenseOptions : SolverBench {
    DenseProblem problem = DenseProblem::lu;
    std::vector<std::string> sizes{"1024", "2048"};
    std::vector<std::string> kinds{"uniform"}, modes;
    bool peers = false, known_solution = false;
    double condition = 1e3;

    /// Whether matrices are spread over a list of devices.
    [[nodiscard]] bool is_spread() const {
        return problem == DenseProblem::lu && is_device_list(device);
    }
};

/// Rows and columns of a matrix, and columns of the one at its right; 0: by default.
struct DenseSize {
    int rows = 0, cols = 0, right = 0;
};

/// Whether the problem has a matrix at the right, whose columns --sizes names.
bool has_right(DenseProblem problem) {
    return problem != DenseProblem::lu && problem != DenseProblem::rref;
}

/// "512", "512x256" or, if the problem has a matrix at the right, "512x256x128".
DenseSize size_of_text(const std::string& text, DenseProblem problem) {
    constexpr int kMost = 1 << 17;
    const std::size_t n_most = has_right(problem) ? 3 : 2;
    const std::string forms = has_right(problem) ? "N, MxN or MxNxK" : "N or MxN";
    std::vector<int> extents;
    for (auto& part : CLI::detail::split(text, 'x')) {
        int extent = 0;
        if (!CLI::detail::lexical_cast(part, extent) || extent < 1 || extent > kMost)
            throw UsageError("--sizes: " + text + " is not " + forms +
                             " with whole numbers from 1 to " + std::to_string(kMost));
        extents.push_back(extent);
    }
    if (extents.empty() || extents.size() > n_most)
        throw UsageError("--sizes: " + text + " is not " + forms);
    DenseSize size;
    size.rows = extents[0];
    size.cols = extents.size() > 1 ? extents[1] : extents[0];
    size.right = extents.size() > 2 ? extents[2] : 0;
    return size;
}

/// The n of a fit. For products it is the thesis's sqrt((m n + n o) / 2).
double fitted_size(DenseProblem problem, const DenseSize& size) {
    double m = size.rows, n = size.cols, o = size.right > 0 ? size.right : n;
    return std::sqrt(problem == DenseProblem::matmul ? (m * n + n * o) / 2 : m * n);
}

template <class Row>
bool is_peer(const std::vector<Row>& table, const std::string& id) {
    return std::ranges::any_of(table, [&](auto& row) { return row.id == id && row.peer; });
}

/// Throws UsageError for a mode that the problem has on no device.
void check_dense_modes(const BenchDenseOptions& o) {
    auto known = dense_modes(o.problem, DeviceKind::cpu);
    auto on_cuda = dense_modes(o.problem, DeviceKind::cuda);
    known.insert(known.end(), on_cuda.begin(), on_cuda.end());
    for (auto& mode : o.modes)
        if (std::ranges::find(known, mode) == known.end())
            throw UsageError("--modes: unknown mode '" + mode + "' of " + id_of(o.problem) +
                             "; known: " + dense_mode_ids(o.problem) + suggestion(mode, known));
}

/// Modes that are named, else all of the device but those of libraries, which `peers` adds.
std::vector<std::string> wanted_dense_modes(const BenchDenseOptions& o, DeviceKind device) {
    std::vector<std::string> modes = o.modes;
    for (auto& id : dense_modes(o.problem, device)) {
        bool peer = is_peer(lu_solvers(), id) || is_peer(linear_solvers(), id) ||
                    is_peer(multipliers(), id) || is_peer(least_squares_solvers(), id);
        bool wanted = peer ? o.peers : o.modes.empty();
        bool has_precision =
            !(id.ends_with("tf32") || id == "refined" || id == "cusolver-irs") ||
            (id.starts_with("refined") || id == "cusolver-irs" ? o.precision == "double"
                                                               : o.precision == "float");
        if (wanted && has_precision) modes.push_back(id);
    }
    return modes;
}

/// Operations of a problem, as is usual: m n^2 - n^3 / 3 for eliminations with n the smaller
/// extent, twice as many for least squares.
double dense_operations(DenseProblem problem, const DenseSize& size) {
    double m = std::max(size.rows, size.cols), n = std::min(size.rows, size.cols);
    if (problem == DenseProblem::matmul)
        return 2.0 * size.rows * size.cols * (size.right > 0 ? size.right : size.cols);
    return (problem == DenseProblem::lstsq ? 2 : 1) * (m - n / 3) * n * n;
}

DenseTask task_of(const BenchDenseOptions& o, const DenseSize& size, const std::string& kind,
                  const std::string& mode) {
    DenseTask task;
    task.problem = o.problem;
    task.input.spec = {kind, size.rows, size.cols, o.condition, o.seed};
    task.mode = mode;
    task.known_solution = o.known_solution;
    if (o.problem == DenseProblem::matmul) task.right_cols = size.right;
    if (size.right > 0) task.n_right = size.right;
    task.settings = o.settings;
    return task;
}

Json row_of_times(const BenchDenseOptions& o, const DenseSize& size, const std::string& mode,
                  const Json& used, const std::vector<double>& seconds) {
    double middle = median(seconds);
    return {{"mode", mode},
            {"used", used},
            {"median_s", middle},
            {"p95_s", p95(seconds)},
            {"repeats", seconds.size()},
            {"gflops", dense_operations(o.problem, size) / std::max(middle, 1e-9) / 1e9}};
}

template <class T>
Json measure_dense_mode(Stream& stream, const BenchDenseOptions& o, const DenseSize& size,
                        const std::string& kind, const std::string& mode,
                        const ReadProgress& progress) {
    auto task = task_of(o, size, kind, mode);
    Json report;
    auto seconds = repeated_seconds(o, progress, [&] {
        SolverRun run;
        report = run_dense<T>(stream, task, run, nullptr);
        return report["seconds"].template get<double>();
    });
    auto row = row_of_times(o, size, mode, report["mode"], seconds);
    row["accuracy"] = report["accuracy"];
    row["stages"] = report["stages"];
    return row;
}

/// A row of device_bench_rows().
template <class T>
Json measure_device_row(const BenchDenseOptions& o, const DenseSize& size, const std::string& kind,
                        const std::string& name, const ReadProgress& progress) {
    auto task = task_of(o, size, kind, "");
    DeviceBenchRun run;
    auto seconds = repeated_seconds(o, progress, [&] {
        run = run_device_bench<T>(o.device, task, name);
        return run.seconds;
    });
    auto row = row_of_times(o, size, name, run.used, seconds);
    row["accuracy"] = {{"backward_error", run.backward_error}};
    row["stages"] = Json::array();
    return row;
}

/// Adds to the first row, and prints, how many times as fast as each other row it is.
void compare_device_rows(Json& rows) {
    if (rows.empty() || rows[0].contains("error")) return;
    Json speeds = Json::object();
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].contains("error")) continue;
        double ratio = rows[i]["median_s"].get<double>() / rows[0]["median_s"].get<double>();
        speeds[rows[i]["mode"].get<std::string>()] = ratio;
        print("  %s: %s times as fast as %s\n", text_of(rows[0], "mode"),
              three_digits(ratio).c_str(), text_of(rows[i], "mode"));
    }
    rows[0]["speed_over"] = speeds;
}

void print_dense_row(TextTable& table, const BenchDenseOptions& o, const DenseSize& size,
                     const Json& row) {
    table.row(row["mode"])
        .number("median ms", 1000 * row["median_s"].get<double>())
        .number("GFLOP/s", row["gflops"].get<double>());
    Json report{{"rows", size.rows}, {"cols", size.cols}, {"accuracy", row["accuracy"]}};
    for (auto& entry : dense_accuracy(id_of(o.problem), report, o.precision == "float"))
        table.cell(entry.name, entry.value);
    table.note("ran as", row["used"]).print();
}

std::string words_of_size(const DenseSize& size) {
    auto text = std::to_string(size.rows) + "x" + std::to_string(size.cols);
    return size.right > 0 ? text + "x" + std::to_string(size.right) : text;
}

/// Fits the times of each kind and mode that were measured at two sizes or more, and prints them.
Json fit_times(const BenchDenseOptions& o, const Json& matrices) {
    Json fits = Json::array();
    for (auto& kind : o.kinds) {
        std::vector<std::pair<std::string, std::pair<std::vector<double>, std::vector<double>>>>
            measured;
        for (auto& matrix : matrices)
            for (auto& row : matrix["modes"]) {
                if (matrix["kind"] != kind || row.contains("error")) continue;
                auto mode = row["mode"].get<std::string>();
                auto found =
                    std::ranges::find(measured, mode, &decltype(measured)::value_type::first);
                if (found == measured.end()) found = measured.insert(found, {mode, {}});
                found->second.first.push_back(matrix["fitted_size"].get<double>());
                found->second.second.push_back(row["median_s"].get<double>());
            }
        double first_b = 0;
        std::string first_mode;
        for (auto& [mode, times] : measured) {
            auto [least, most] = std::ranges::minmax(times.first);
            if (least == most) continue;
            auto fit = fit_cubic(times.first, times.second);
            Json entry{
                {"kind", kind}, {"mode", mode}, {"a", fit.a}, {"b", fit.b}, {"rms", fit.rms}};
            print("%s %s: time %.3g + %.3g n^3 s, fitted with an error of %.2g s rms", kind.c_str(),
                  mode.c_str(), fit.a, fit.b, fit.rms);
            if (first_b > 0 && fit.b > 0) {
                entry["b_over_first"] = fit.b / first_b;
                print("; per n^3 %s times that of %s", three_digits(fit.b / first_b).c_str(),
                      first_mode.c_str());
                entry["first"] = first_mode;
            }
            if (first_mode.empty()) {
                first_b = fit.b;
                first_mode = mode;
            }
            print("\n");
            fits.push_back(entry);
        }
    }
    return fits;
}

void bench_dense(BenchDenseOptions o) {
    if (o.is_spread() && !o.modes.empty())
        throw UsageError(
            "bench lu: --modes takes one device; a list measures mode blocked, and "
            "with --peers the libraries");
    Device& device = o.is_spread() ? *find_devices(o.device).front() : find_device(o.device);
    complete_bench(o, device);
    std::vector<DenseSize> sizes;
    for (auto& text : o.sizes) sizes.push_back(size_of_text(text, o.problem));
    for (auto& kind : o.kinds)
        for (auto& size : sizes) check_matrix({kind, size.rows, size.cols, o.condition, o.seed});
    check_dense_modes(o);
    auto modes =
        o.is_spread() ? device_bench_rows(o.device, o.peers) : wanted_dense_modes(o, device.kind());
    begin_report(o.json);
    auto stream = device.create_stream();
    auto devices = o.is_spread() ? names_of(find_devices(o.device)) : device.name();
    print("%s, median of %d\n", devices.c_str(), o.repeat);
    Json matrices = Json::array();
    int n_failed = 0;
    BenchProgress progress(sizes.size() * o.kinds.size() * modes.size());
    for (auto& size : sizes)
        for (auto& kind : o.kinds) {
            print("%s %s %s\n", words_of_size(size).c_str(), kind.c_str(), o.precision.c_str());
            auto measure = [&](const std::string& mode) {
                if (o.is_spread())
                    return o.precision == "float"
                               ? measure_device_row<float>(o, size, kind, mode, progress.phases())
                               : measure_device_row<double>(o, size, kind, mode, progress.phases());
                return o.precision == "float" ? measure_dense_mode<float>(*stream, o, size, kind,
                                                                          mode, progress.phases())
                                              : measure_dense_mode<double>(*stream, o, size, kind,
                                                                           mode, progress.phases());
            };
            TextTable table("mode");
            Json rows = measure_modes(
                progress, modes, measure,
                [&](const Json& row) { print_dense_row(table, o, size, row); }, n_failed);
            if (o.is_spread()) compare_device_rows(rows);
            matrices.push_back({{"kind", kind},
                                {"condition", o.condition},
                                {"rows", size.rows},
                                {"cols", size.cols},
                                {"right_columns", size.right},
                                {"fitted_size", fitted_size(o.problem, size)},
                                {"modes", rows}});
        }
    auto fits = fit_times(o, matrices);
    finish_bench(o, id_of(o.problem), devices, {{"known_solution", o.known_solution}},
                 {{"matrices", matrices}, {"fits", fits}}, "modes", n_failed);
}

void add_dense_bench(CLI::App& bench, DenseProblem problem, const char* help) {
    auto o = std::make_shared<BenchDenseOptions>();
    o->problem = problem;
    auto* command = bench.add_subcommand(id_of(problem), help);
    add_list(*command, "--sizes", o->sizes, has_right(problem) ? "N|MxN|MxNxK,..." : "N|MxN,...",
             has_right(problem)
                 ? "rows and columns of the matrices, and columns of those at their right"
                 : "rows and columns of the matrices");
    add_list(*command, "--kinds", o->kinds, "KIND,...", "kinds of matrices, as in solve svd");
    add_value(*command, "--cond", o->condition, "C", "condition number, where the kind has one");
    add_list(
        *command, "--modes", o->modes, "ID,...",
        "ways to solve; default: Treelight's own on the device; known: " + dense_mode_ids(problem));
    if (problem != DenseProblem::rref)
        command->add_flag("--peers", o->peers, "also measure every library of the device");
    if (problem != DenseProblem::lu && problem != DenseProblem::matmul)
        add_known_solution(*command, o->known_solution, problem);
    add_bench_flags(*command, *o, "matrix");
    if (problem == DenseProblem::lu)
        add_device_list_option(*command, o->device, "spreads the matrix over several GPUs");
    if (problem == DenseProblem::lu) add_dense_setting_flags(*command, o->settings);
    command->callback([o] { bench_dense(*o); });
}

}  // namespace

void add_bench_dense_commands(CLI::App& bench) {
    add_dense_bench(bench, DenseProblem::lu, "What PLU factorisations cost, and how good they are");
    add_dense_bench(bench, DenseProblem::rref, "What reduced row echelon forms cost");
    add_dense_bench(bench, DenseProblem::solve, "What systems of linear equations cost");
    add_dense_bench(bench, DenseProblem::lstsq, "What least squares cost");
    add_dense_bench(bench, DenseProblem::matmul, "What products of matrices cost");
}

}  // namespace tl
