// `treelight bench eig`: every mode on every size and kind of matrices, with the accuracy in each
// row, and the libraries on the same matrices in the same run.
#include <algorithm>
#include <chrono>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/accuracy_text.h"
#include "app/solve/eig/eig_problem.h"
#include "app/solve/eig/eig_row.h"
#include "app/solve/solver_bench.h"
#include "core/device/registry.h"
#include "solvers/eigen/matrix_batch.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchEigOptions : SolverBench {
    std::vector<int> sizes{2, 4, 8, 10, 16, 32};
    std::vector<std::string> kinds{"random"};
    std::vector<std::string> modes{"auto"};
    std::string pairs = "real";
    std::vector<std::size_t> counts{10000};
    bool peers = false, transfers = false;
};

/// The requested modes, and those of libraries if peers are requested; each must run on the device.
std::vector<std::string> modes_of(const BenchEigOptions& o, const Device& device) {
    auto modes = o.modes;
    if (o.modes == std::vector<std::string>{"own"}) {
        modes.clear();
        for (auto& id : ids_on(device.kind(), eigen_solvers()))
            if (id != "auto" && !find_row(eigen_solvers(), id, "eig mode").peer)
                modes.push_back(id);
    }
    for (auto& id : modes) (void)make_eigen_solver(id, device);
    if (!o.peers) return modes;
    for (auto& id : ids_on(device.kind(), eigen_solvers()))
        if (find_row(eigen_solvers(), id, "eig mode").peer) modes.push_back(id);
    return modes;
}

/// Seconds from matrices on the host to results there, allocating and freeing memory
/// included.
template <class T>
double seconds_with_transfers(Stream& stream, const std::vector<T>& a, int n, EigenSolver& solver,
                              const EigenRequest& request) {
    stream.synchronize();
    auto start = std::chrono::steady_clock::now();
    DeviceArray<T> on_device(stream, std::span<const T>(a));
    SolverRun run;
    auto size = static_cast<std::size_t>(n) * n;
    (void)downloaded(stream,
                     solver.solve(stream, {on_device.view(), n, a.size() / size}, request, run));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Repeats a solve after a warm-up, fewer times if it takes long.
template <class T>
Json measure_mode(Stream& stream, const std::vector<T>& a, int n, const std::string& mode,
                  const BenchEigOptions& o, const ReadProgress& progress) {
    bool peer = find_row(eigen_solvers(), mode, "eig mode").peer;
    auto solver = make_configured_eigen(mode, stream.device(),
                                        peer ? std::map<std::string, std::string>{} : o.settings);
    DeviceArray<T> on_device(stream, std::span<const T>(a));
    auto size = static_cast<std::size_t>(n) * n;
    EigenResult<T> result;
    auto seconds = repeated_seconds(o, progress, [&] {
        SolverRun run;
        result = {};
        result =
            solver->solve(stream, {on_device.view(), n, a.size() / size}, {pairs_of(o.pairs)}, run);
        return result.seconds;
    });
    EigenSummary summary;
    constexpr std::size_t kMeasured = 10000;
    summary.add(downloaded(stream, result),
                std::span<const T>(a).first(std::min(a.size(), kMeasured * size)));
    summary.seconds = median(seconds);
    Json row{{"mode", mode},
             {"used", result.mode},
             {"p95_s", p95(seconds)},
             {"repeats", seconds.size()},
             {"microseconds", 1e6 * summary.seconds / static_cast<double>(summary.count)}};
    if (o.transfers) {
        auto all = repeated_seconds(o, progress, [&] {
            return seconds_with_transfers(stream, a, n, *solver, {pairs_of(o.pairs)});
        });
        row["with_transfers_s"] = median(all);
    }
    row.update(summary_json(summary));
    return row;
}

void print_mode(TextTable& table, const Json& row) {
    auto& accuracy = row["accuracy"];
    bool has_vectors = accuracy["vectors"].get<std::size_t>() > 0;
    table.row(row["mode"])
        .number("us a matrix", row["microseconds"].get<double>())
        .number("matrices/s", row["matrices_per_second"].get<double>())
        .number("QR sweeps", row["sweeps"]["mean"].get<double>())
        .cell("backward error",
              has_vectors ? in_rounding_units(accuracy["residual"].get<double>()) : "no vectors");
    if (row.contains("with_transfers_s"))
        table.number("batch ms", 1e3 * row["seconds"].get<double>())
            .number("with transfers", 1e3 * row["with_transfers_s"].get<double>());
    std::string note = row["used"];
    if (accuracy["balanced"].get<double>() >= EigenAccuracy::kLost)
        note += ", balanced " + in_rounding_units(accuracy["balanced"].get<double>());
    auto n_failed = row["not_converged"].get<std::size_t>() + row["not_finite"].get<std::size_t>();
    if (n_failed > 0) note += ", " + std::to_string(n_failed) + " without results";
    table.note("ran as", note).print();
}

template <class T>
Json measure_batch(Stream& stream, const BatchSpec& spec, const BenchEigOptions& o,
                   BenchProgress& progress, int& n_failed) {
    auto made = make_batch(spec, 0, spec.count);
    std::vector<T> a(made.begin(), made.end());
    print("%zu of %dx%d %s, %s, %s\n", spec.count, spec.n, spec.n, spec.kind.c_str(),
          o.precision.c_str(), o.pairs.c_str());
    TextTable table("mode");
    Json rows = measure_modes(
        progress, modes_of(o, stream.device()),
        [&](const std::string& mode) {
            return measure_mode<T>(stream, a, spec.n, mode, o, progress.phases());
        },
        [&](const Json& row) { print_mode(table, row); }, n_failed);
    return {{"kind", spec.kind}, {"n", spec.n}, {"count", spec.count}, {"modes", rows}};
}

void bench_eig(BenchEigOptions o) {
    Device& device = find_device(o.device);
    complete_bench(o, device);
    for (auto& kind : o.kinds) (void)find_row(batch_kinds(), kind, "kind of matrices");
    std::size_t n_modes = modes_of(o, device).size();
    begin_report(o.json);
    auto stream = device.create_stream();
    print("%s, median of %d\n", device.name().c_str(), o.repeat);
    Json batches = Json::array();
    int n_failed = 0;
    BenchProgress progress(o.sizes.size() * o.kinds.size() * o.counts.size() * n_modes);
    for (int n : o.sizes)
        for (auto& kind : o.kinds)
            for (auto count : o.counts) {
                BatchSpec spec{kind, n, count, o.seed};
                batches.push_back(
                    o.precision == "float"
                        ? measure_batch<float>(*stream, spec, o, progress, n_failed)
                        : measure_batch<double>(*stream, spec, o, progress, n_failed));
            }
    finish_bench(o, "eig", device.name(), {{"pairs", o.pairs}}, {{"batches", batches}}, "modes",
                 n_failed);
}

}  // namespace

void add_bench_eig_command(CLI::App& bench) {
    auto o = std::make_shared<BenchEigOptions>();
    auto* eig = bench.add_subcommand(
        "eig", "What batched eigenvalue problems cost, and how good their solutions are");
    add_list(*eig, "--sizes", o->sizes, "N,...", "rows of the matrices")
        ->check(between(1, EigenSolver::kMostRows));
    add_list(*eig, "--kinds", o->kinds, "KIND,...", "kinds of matrices: " + ids_of(batch_kinds()));
    add_list(*eig, "--modes", o->modes, "ID,...",
             "ways to solve, as in solve eig; own: all but those of libraries");
    add_list(*eig, "--batch", o->counts, "COUNT,...", "matrices of each size and kind")
        ->check(between<std::size_t>(1, 100'000'000));
    eig->add_flag("--peers", o->peers, "also measure every library of the device");
    eig->add_flag("--transfers", o->transfers,
                  "also measure each batch from the host's memory and back to it");
    add_bench_flags(*eig, *o, "batch");
    add_value(*eig, "--pairs", o->pairs, "WHICH",
              "values: eigenvalues alone; real: and the vectors of real ones; all: and all vectors")
        ->check(CLI::IsMember({"values", "real", "all"}));
    add_eigen_setting_flags(*eig, o->settings);
    eig->callback([o] { bench_eig(*o); });
}

}  // namespace tl
