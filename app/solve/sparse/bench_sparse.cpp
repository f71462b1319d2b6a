// `treelight bench sparse`: what products and solves with sparse matrices cost, by format and
// preconditioner, cuSPARSE's products among them.
#include <algorithm>
#include <chrono>
#include <random>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/solver_bench.h"
#include "app/solve/sparse/sparse_row.h"
#include "core/base/error.h"
#include "core/device/registry.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchSparseOptions : SolverBench {
    std::vector<std::string> kinds{"poisson2d", "poisson3d", "convection", "power-law"};
    std::vector<std::string> files, modes;
    int rows = 250000;
    bool peers = false;
};

constexpr const char* kProduct = "product-";

/// Products by format, then solves by preconditioner; `peers` adds cuSPARSE's products on a GPU.
std::vector<std::string> sparse_modes(const BenchSparseOptions& o, DeviceKind device) {
    if (!o.modes.empty()) return o.modes;
    std::vector<std::string> modes{"product-csr", "product-dia"};
    if (o.peers && device == DeviceKind::cuda) modes.emplace_back("product-cusparse");
    for (const char* id : {"none", "jacobi", "ilu0", "amg"}) modes.emplace_back(id);
    return modes;
}

/// The config of a mode. Throws UserError for an unknown one.
SparseConfig config_of_mode(const BenchSparseOptions& o, const std::string& mode) {
    auto settings = o.settings;
    if (mode.starts_with(kProduct))
        settings["sparse.format"] = mode.substr(std::string(kProduct).size());
    else
        settings["sparse.preconditioner"] = mode;
    return sparse_config(settings);
}

/// Seconds of a product with a vector of ones.
template <class T>
Json measure_product(Stream& stream, const BenchSparseOptions& o, const HostCsr& a,
                     const std::string& mode, const ReadProgress& progress) {
    auto matrix = make_sparse_matrix<T>(stream, a, config_of_mode(o, mode).format);
    DeviceArray<T> x(stream, std::vector<T>(static_cast<std::size_t>(a.cols), T(1)));
    DeviceArray<T> y(stream, static_cast<std::size_t>(a.rows));
    constexpr int kProducts = 10;
    auto seconds = repeated_seconds(o, progress, [&] {
        stream.synchronize();
        auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < kProducts; ++k)
            matrix->multiply(stream, {T(1), x.view(), T(0), {}}, y.view());
        stream.synchronize();
        std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        return taken.count() / kProducts;
    });
    double middle = std::max(median(seconds), 1e-9);
    double moved =
        static_cast<double>(matrix->bytes()) + (static_cast<double>(a.rows) + a.cols) * sizeof(T);
    return {{"mode", mode},
            {"median_s", middle},
            {"p95_s", p95(seconds)},
            {"repeats", seconds.size()},
            {"gflops", 2.0 * a.entries() / middle / 1e9},
            {"gbytes_per_s", moved / middle / 1e9}};
}

template <class T>
Json measure_solve(Stream& stream, const BenchSparseOptions& o, const HostCsr& a,
                   const std::string& mode, const ReadProgress& progress) {
    auto config = config_of_mode(o, mode);
    std::vector<T> b(static_cast<std::size_t>(a.rows));
    std::mt19937_64 random(o.seed);
    for (T& x : b) x = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    Json row;
    std::vector<double> setups;
    auto seconds = repeated_seconds(o, progress, [&] {
        SolverRun run;
        SparseSystem<T> system(stream, a, config, run);
        auto solution = system.solve(stream, b, run);
        if (!solution.converged) throw UserError(solution.fault);
        setups.push_back(system.setup_seconds());
        row = {{"mode", mode},
               {"method", name_of(system.method())},
               {"iterations", solution.iterations},
               {"residual", solution.residual},
               {"device_bytes", system.bytes()},
               {"summary", system.summary()}};
        return solution.seconds;
    });
    row.update({{"median_s", median(seconds)},
                {"p95_s", p95(seconds)},
                {"setup_s", median(setups)},
                {"repeats", seconds.size()}});
    return row;
}

template <class T>
Json measure_sparse_mode(Stream& stream, const BenchSparseOptions& o, const HostCsr& a,
                         const std::string& mode, const ReadProgress& progress) {
    if (mode.starts_with(kProduct)) return measure_product<T>(stream, o, a, mode, progress);
    return measure_solve<T>(stream, o, a, mode, progress);
}

void print_sparse_mode(TextTable& table, const Json& row) {
    table.row(row["mode"]).number("median ms", 1000 * row["median_s"].get<double>());
    if (row.contains("gflops"))
        table.number("GFLOP/s", row["gflops"].get<double>())
            .number("GB/s", row["gbytes_per_s"].get<double>());
    else
        table.number("set-up ms", 1000 * row["setup_s"].get<double>())
            .cell("iterations", row["iterations"].dump())
            .number("|b - A x| / |b|", row["residual"].get<double>())
            .note("method", row["method"]);
    table.print();
}

/// The files, or else the kinds.
std::vector<SparseTask> sparse_tasks(const BenchSparseOptions& o) {
    std::vector<SparseTask> tasks;
    for (auto& file : o.files) tasks.emplace_back().file = file;
    if (o.files.empty())
        for (auto& kind : o.kinds) tasks.emplace_back().spec = {kind, o.rows, o.seed};
    return tasks;
}

/// Whether products by diagonals take less memory than those by rows.
bool is_banded(const HostCsr& a) {
    auto stream = find_device("cpu").create_stream();
    return make_sparse_matrix<double>(*stream, a)->format() == SparseFormat::dia;
}

Json measure_sparse_matrix(Stream& stream, const BenchSparseOptions& o, const SparseTask& task,
                           const std::vector<std::string>& modes, BenchProgress& progress,
                           int& n_failed) {
    bool single = o.precision == "float";
    auto a = single ? sparse_input<float>(task) : sparse_input<double>(task);
    print("%s, %d rows, %d entries, at most %d a row, %s\n",
          task.file.empty() ? task.spec.kind.c_str() : task.file.c_str(), a.rows, a.entries(),
          longest_row(a), o.precision.c_str());
    auto measure = [&](const std::string& mode) {
        return single ? measure_sparse_mode<float>(stream, o, a, mode, progress.phases())
                      : measure_sparse_mode<double>(stream, o, a, mode, progress.phases());
    };
    auto wanted = modes;
    if (o.modes.empty() && !is_banded(a)) std::erase(wanted, "product-dia");
    TextTable table("mode");
    Json rows = measure_modes(
        progress, wanted, measure, [&](const Json& row) { print_sparse_mode(table, row); },
        n_failed);
    Json matrix = sparse_matrix_json(task);
    matrix.update({{"rows", a.rows}, {"entries", a.entries()}, {"modes", rows}});
    return matrix;
}

void bench_sparse(BenchSparseOptions o) {
    Device& device = find_device(o.device);
    complete_bench(o, device);
    auto modes = sparse_modes(o, device.kind());
    for (auto& mode : modes) (void)config_of_mode(o, mode);
    for (auto& kind : o.kinds) (void)find_row(sparse_kinds(), kind, "sparse matrix kind");
    begin_report(o.json);
    auto stream = device.create_stream();
    print("%s, median of %d\n", device.name().c_str(), o.repeat);
    auto tasks = sparse_tasks(o);
    Json matrices = Json::array();
    int n_failed = 0;
    BenchProgress progress(tasks.size() * modes.size());
    for (auto& task : tasks)
        matrices.push_back(measure_sparse_matrix(*stream, o, task, modes, progress, n_failed));
    finish_bench(o, "sparse", device.name(), Json::object(), {{"matrices", matrices}}, "modes",
                 n_failed);
}

}  // namespace

void add_bench_sparse_command(CLI::App& bench) {
    auto o = std::make_shared<BenchSparseOptions>();
    auto* command =
        bench.add_subcommand("sparse", "What products and systems of sparse matrices cost");
    add_list(*command, "--kinds", o->kinds, "KIND,...", "kinds of matrices, as in solve sparse");
    add_value(*command, "--rows", o->rows, "N", "rows of the matrices")->check(between(1, 1 << 30));
    add_list(*command, "--inputs", o->files, "FILE,...", "matrices to read in their stead: .mtx")
        ->excludes(command->get_option("--kinds"));
    add_list(*command, "--modes", o->modes, "ID,...",
             "product-csr, product-dia, product-cusparse, or a preconditioner to solve with; "
             "default: all but cusparse, and dia for banded matrices alone");
    command->add_flag("--peers", o->peers, "also measure cuSPARSE's products on a GPU");
    add_bench_flags(*command, *o, "matrix");
    add_sparse_setting_flags(*command, o->settings);
    command->callback([o] { bench_sparse(*o); });
}

}  // namespace tl
