#include "app/solve/dense/dense_problem.h"

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/solve/dense/dense_runs.h"
#include "core/device/registry.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/least_squares/least_squares.h"

namespace tl {

using Json = nlohmann::ordered_json;

const char* id_of(DenseProblem problem) {
    constexpr const char* kIds[] = {"lu", "rref", "solve", "inverse", "matmul", "lstsq", "pinv"};
    return kIds[static_cast<int>(problem)];
}

std::vector<std::string> dense_modes(DenseProblem problem, DeviceKind device) {
    switch (problem) {
        case DenseProblem::lu:
        case DenseProblem::inverse:
            return ids_on(device, lu_solvers());
        case DenseProblem::solve:
            return ids_on(device, linear_solvers());
        case DenseProblem::matmul:
            return ids_on(device, multipliers());
        case DenseProblem::lstsq:
            return ids_on(device, least_squares_solvers());
        case DenseProblem::rref:
            return {"blocked", "pairs", "pairs-geometric", "complete"};
        case DenseProblem::pinv:
            break;
    }
    return {"svd"};
}

std::string dense_mode_ids(DenseProblem problem) {
    if (problem == DenseProblem::solve) return ids_of(linear_solvers());
    if (problem == DenseProblem::matmul) return ids_of(multipliers());
    if (problem == DenseProblem::lstsq) return ids_of(least_squares_solvers());
    if (problem == DenseProblem::rref) return "blocked, pairs, pairs-geometric, complete";
    return ids_of(lu_solvers());
}

bool moves_columns(const std::string& mode) {
    return mode == "complete";
}

/// The function that runs a problem.
template <class T>
using DenseRun = void (*)(Blas&, const DenseTask&, MatrixView<const T>, SolverRun&, Json&,
                          DenseFiles<T>*);
template <class T>
static DenseRun<T> run_of(const DenseTask& task) {
    switch (task.problem) {
        case DenseProblem::lu:
            return &run_lu;
        case DenseProblem::rref:
            return &run_rref;
        case DenseProblem::solve:
            if (!task.factors.empty()) return &run_with_factors;
            return &run_solve;
        case DenseProblem::inverse:
            return &run_inverse;
        case DenseProblem::matmul:
            return &run_matmul;
        case DenseProblem::lstsq:
            return &run_lstsq;
        case DenseProblem::pinv:
            break;
    }
    return &run_pinv;
}

template <class T>
static Json run_task(Stream& stream, const DenseTask& task, SolverRun& run, DenseFiles<T>* files) {
    auto blas = make_blas(stream);
    if (is_complex(task)) return run_complex(*blas, task, run, files);
    bool has_matrix = !task.input.file.empty() || task.input.spec.rows > 0;
    if (task.input.file.empty()) {
        auto bytes = 5 * static_cast<std::uint64_t>(task.input.spec.rows) *
                     static_cast<std::uint64_t>(task.input.spec.cols) * sizeof(T);
        require_memory(stream.device(), bytes, "the matrix with its results",
                       task.problem == DenseProblem::lu
                           ? "add --out-of-core, or ask for a smaller matrix"
                           : "ask for a smaller matrix, or for float instead of double");
    }
    // Stored factors do without the matrix.
    auto a = has_matrix ? make_input<T>(*blas, task.input, nullptr) : Matrix<T>(stream, 0, 0);
    Json report{{"rows", a.rows()}, {"cols", a.cols()}, {"mode", ""}, {"seconds", 0.0}};
    run_of<T>(task)(*blas, task, a.view(), run, report, files);
    return report;
}

void add_known_solution(CLI::App& command, bool& known_solution, DenseProblem problem) {
    command.add_flag(
        "--known-solution", known_solution,
        problem == DenseProblem::rref
            ? "reduce [A b], b the sums of A's rows, and report the errors of the last "
              "column, which is 1"
            : "right sides are the sums of the matrix's rows: report the errors of the "
              "solution, which is 1");
}

void add_dense_setting_flags(CLI::App& command, std::map<std::string, std::string>& given) {
    for (auto& row : lu_solvers()) {
        if (!row.make_cpu) continue;
        for (auto& setting : row.make_cpu()->settings())
            add_setting_flag(command, row.id, setting.declaration(), given);
    }
}

template <>
Json run_dense(Stream& stream, const DenseTask& task, SolverRun& run, DenseFiles<float>* files) {
    return run_task(stream, task, run, files);
}
template <>
Json run_dense(Stream& stream, const DenseTask& task, SolverRun& run, DenseFiles<double>* files) {
    return run_task(stream, task, run, files);
}

}  // namespace tl
