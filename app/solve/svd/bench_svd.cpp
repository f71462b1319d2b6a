// `treelight bench svd`: every mode on every size and kind of matrix, with the accuracy in each
// row, and the libraries on the same matrices in the same run.
#include <chrono>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/solver_bench.h"
#include "app/solve/svd/svd_problem.h"
#include "app/solve/svd/svd_row.h"
#include "core/base/error.h"
#include "core/device/registry.h"
#include "solvers/svd/svd_checks.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchSvdOptions : SolverBench {
    std::vector<std::string> sizes{"512x512", "1024x1024"};
    std::vector<std::string> kinds{"uniform"};
    std::vector<std::string> modes{"divide-conquer", "golub-reinsch"};
    std::string vectors = "thin";
    bool peers = false, complex = false;
    int rank = 0;
    double condition = 1e14;
};

SvdRequest request_for(const BenchSvdOptions& o) {
    return {.vectors = vectors_of(o.vectors), .rank = o.rank, .seed = o.seed};
}

/// Repeats a solve after a warm-up, fewer times if it takes long.
template <class T>
Json measure_mode(Blas& blas, MatrixView<const T> a, const std::string& mode,
                  const BenchSvdOptions& o, const std::vector<double>& known,
                  const ReadProgress& progress) {
    Stream& stream = blas.stream();
    auto solver = make_configured_svd(mode, stream.device(), o.settings);
    SvdRequest request = request_for(o);
    SvdResult<T> result;
    auto seconds = repeated_seconds(o, progress, [&] {
        SolverRun run;
        result = {};
        stream.synchronize();
        auto start = std::chrono::steady_clock::now();
        result = solver->solve(stream, a, request, run);
        stream.synchronize();
        std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        return time.count();
    });
    return {{"mode", mode},
            {"used", result.mode},
            {"median_s", median(seconds)},
            {"p95_s", p95(seconds)},
            {"repeats", seconds.size()},
            {"accuracy", accuracy_json<T>(blas, a, result, known)},
            {"stages", stages_json(result.stages)}};
}

void print_row(TextTable& table, const Json& row, double unit, int rank) {
    table.row(row["mode"]).number("median ms", 1000 * row["median_s"].get<double>());
    for (auto& [name, value] : row["accuracy"].items()) {
        auto accuracy = svd_accuracy(name, value, unit, rank);
        table.cell(accuracy.name, accuracy.value);
    }
    table.note("stages, ms", stages_text(row["stages"])).print();
}

template <class T>
Json measure_matrix(Blas& blas, const MatrixSpec& spec, const BenchSvdOptions& o,
                    BenchProgress& progress, int& n_failed) {
    std::vector<double> known;
    auto a = make_svd_input<T>(blas, {"", spec}, known);
    print("%dx%d %s %s%s\n", spec.rows, spec.cols, spec.kind.c_str(),
          kIsComplex<T> ? "complex " : "", o.precision.c_str());
    TextTable table("mode");
    Json rows = measure_modes(
        progress, svd_modes_to_measure(o.modes, o.peers, blas.stream().device()),
        [&](const std::string& mode) {
            return measure_mode<T>(blas, a.view(), mode, o, known, progress.phases());
        },
        [&](const Json& row) {
            print_row(table, row, rounding_unit(spec.rows, spec.cols, o.precision == "float"),
                      o.rank);
        },
        n_failed);
    return {{"kind", spec.kind},
            {"condition", spec.condition},
            {"rows", spec.rows},
            {"cols", spec.cols},
            {"modes", rows}};
}

void bench_svd(BenchSvdOptions o) {
    Device& device = find_device(o.device);
    complete_bench(o, device);
    std::vector<std::pair<int, int>> extents;
    for (auto& size : o.sizes) extents.push_back(extents_of_size(size));
    for (auto [rows, cols] : extents) {
        for (auto& kind : o.kinds) check_matrix({kind, rows, cols, o.condition, o.seed});
        check_request(rows, cols, request_for(o));
    }
    std::size_t n_modes = svd_modes_to_measure(o.modes, o.peers, device).size();
    check_svd_settings(o.settings, o.modes, "--modes");
    begin_report(o.json);
    auto stream = device.create_stream();
    auto blas = make_blas(*stream);
    print("%s, median of %d\n", device.name().c_str(), o.repeat);
    Json matrices = Json::array();
    int n_failed = 0;
    BenchProgress progress(extents.size() * o.kinds.size() * n_modes);
    for (auto [rows, cols] : extents)
        for (auto& kind : o.kinds) {
            MatrixSpec spec{kind, rows, cols, o.condition, o.seed};
            auto* measure = o.precision == "float"
                                ? o.complex ? measure_matrix<Complex<float>> : measure_matrix<float>
                            : o.complex ? measure_matrix<Complex<double>>
                                        : measure_matrix<double>;
            matrices.push_back(measure(*blas, spec, o, progress, n_failed));
        }
    Json head{{"vectors", o.vectors}, {"rank", o.rank}};
    if (o.complex) head["numbers"] = "complex";
    finish_bench(o, "svd", device.name(), head, {{"matrices", matrices}}, "decompositions",
                 n_failed);
}

}  // namespace

void add_bench_svd_command(CLI::App& bench) {
    auto o = std::make_shared<BenchSvdOptions>();
    auto* svd = bench.add_subcommand(
        "svd", "What singular value decompositions cost, and how good they are");
    add_list(*svd, "--sizes", o->sizes, "MxN,...", "sizes of matrices");
    add_list(*svd, "--kinds", o->kinds, "KIND,...", "kinds of matrices, as in solve svd");
    add_list(*svd, "--modes", o->modes, "ID,...", "ways to solve, as in solve svd");
    svd->add_flag("--complex", o->complex,
                  "make complex matrices, whose parts are two matrices of the kind");
    svd->add_flag("--peers", o->peers, "also measure every library of the device");
    add_bench_flags(*svd, *o, "matrix");
    add_value(*svd, "--vectors", o->vectors, "WHICH", "singular vectors: thin, full or none")
        ->check(CLI::IsMember({"thin", "full", "none"}));
    name_number(add_value(*svd, "--rank", o->rank, "R", "only the largest triplets")
                    ->check(CLI::Range(0, 1 << 20)),
                "all");
    add_value(*svd, "--cond", o->condition, "C", "condition number, where the kind has one");
    add_svd_setting_flags(*svd, o->settings);
    svd->callback([o] { bench_svd(*o); });
    add_bench_svd_errors_command(bench);
}

}  // namespace tl
