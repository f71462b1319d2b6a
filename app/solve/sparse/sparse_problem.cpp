#include "app/solve/sparse/sparse_problem.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/commands/commands.h"
#include "app/solve/dense/dense_runs.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/sparse/csr_file.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSection = "sparse";

/// The sums of a matrix's rows, for each right side.
template <class T>
HostMatrix<T> row_sums(const HostCsr& a, int sides) {
    HostMatrix<T> b(a.rows, sides);
    for (int i = 0; i < a.rows; ++i) {
        double sum = 0;
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k)
            sum += static_cast<double>(static_cast<T>(a.values[k]));
        for (int j = 0; j < sides; ++j) b(i, j) = static_cast<T>(sum);
    }
    return b;
}

template <class T>
HostMatrix<T> sparse_right_sides(const SparseTask& task, const HostCsr& a) {
    if (!task.right_file.empty()) {
        auto read = read_matrix(with_home(task.right_file));
        if constexpr (sizeof(T) == sizeof(float)) require_floats(task.right_file, read);
        HostMatrix<T> b(read.rows, read.cols);
        std::ranges::transform(read.data, b.data.begin(), [](double x) { return T(x); });
        return b;
    }
    if (task.known_solution) return row_sums<T>(a, task.n_right);
    HostMatrix<T> b(a.rows, task.n_right);
    std::mt19937_64 random(task.spec.seed + 1);
    for (T& x : b.data) x = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    return b;
}

template <class T>
HostCsr given_matrix(const SparseTask& task) {
    if (task.file.empty()) return make_csr(task.spec);
    auto a = read_csr(with_home(task.file));
    if constexpr (sizeof(T) == sizeof(float)) require_floats(task.file, a);
    return a;
}

}  // namespace

template <>
HostCsr sparse_input<float>(const SparseTask& task) {
    return given_matrix<float>(task);
}
template <>
HostCsr sparse_input<double>(const SparseTask& task) {
    return given_matrix<double>(task);
}

SparseConfig sparse_config(const std::map<std::string, std::string>& settings) {
    SparseConfig config;
    set_given(config.settings(), kSection, settings, "solve sparse");
    return config;
}

Json sparse_matrix_json(const SparseTask& task) {
    if (!task.file.empty()) return {{"file", task.file}};
    return {{"kind", task.spec.kind}, {"seed", task.spec.seed}};
}

namespace {

/// Totals over all right sides.
struct SideTotals {
    double seconds = 0, residual = 0;
    Json iterations = Json::array();
};

template <class T>
Json sparse_report(const HostCsr& a, const SparseSystem<T>& system, const SideTotals& totals,
                   bool converged) {
    Json report{{"rows", a.rows},
                {"cols", a.cols},
                {"entries", a.entries()},
                {"method", name_of(system.method())},
                {"preconditioner", name_of(system.preconditioner())},
                {"format", name_of(system.format())},
                {"seconds", system.setup_seconds() + totals.seconds},
                {"setup_seconds", system.setup_seconds()},
                {"solve_seconds", totals.seconds}};
    report["accuracy"] = {{"residual", totals.residual}, {"tolerance", system.tolerance()}};
    report["results"] = {{"right_sides", totals.iterations.size()},
                         {"iterations", totals.iterations},
                         {"longest_row", longest_row(a)},
                         {"device_bytes", system.bytes()},
                         {"converged", converged}};
    if (auto text = system.summary(); !text.empty()) report["results"]["preconditioner"] = text;
    if (!system.note().empty()) report["results"]["note"] = system.note();
    return report;
}

template <class T>
SparseAnswer<T> solve_given(Stream& stream, const SparseTask& task, SolverRun& run) {
    auto a = given_matrix<T>(task);
    auto b = sparse_right_sides<T>(task, a);
    SolverRun setup(run, 0, 0.2);
    SparseSystem<T> system(stream, a, sparse_config(task.settings), setup);
    if (b.rows != a.rows)
        throw UserError("the right side has " + std::to_string(b.rows) +
                        " rows, but the matrix has " + std::to_string(a.rows));
    SparseAnswer<T> answer;
    answer.x = HostMatrix<T>(a.rows, b.cols);
    auto n = static_cast<std::size_t>(a.rows);
    SideTotals totals;
    for (int j = 0; j < b.cols; ++j) {
        SolverRun part(run, 0.2 + 0.8 * j / b.cols, 0.2 + 0.8 * (j + 1) / b.cols);
        auto solution = system.solve(stream, {b.data.data() + j * n, n}, part);
        std::ranges::copy(solution.x, answer.x.data.begin() + static_cast<std::ptrdiff_t>(j * n));
        totals.seconds += solution.seconds;
        totals.residual = std::max(totals.residual, solution.residual);
        totals.iterations.push_back(solution.iterations);
        if (answer.fault.empty()) answer.fault = solution.fault;
    }
    run.report(1);
    answer.report = sparse_report(a, system, totals, answer.fault.empty());
    if (task.known_solution) report_solution_errors(answer.x.data, answer.report);
    return answer;
}

}  // namespace

template <>
SparseAnswer<float> run_sparse(Stream& stream, const SparseTask& task, SolverRun& run) {
    return solve_given<float>(stream, task, run);
}
template <>
SparseAnswer<double> run_sparse(Stream& stream, const SparseTask& task, SolverRun& run) {
    return solve_given<double>(stream, task, run);
}

void add_sparse_setting_flags(CLI::App& command, std::map<std::string, std::string>& settings) {
    for (auto& setting : SparseConfig::declared_settings().all())
        add_setting_flag(command, kSection, setting, settings);
}

}  // namespace tl
