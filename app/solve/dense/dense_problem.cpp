#include "app/solve/dense/dense_problem.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/device/registry.h"
#include "solvers/dense/linear/equilibrated.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/dense/rref/rref.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity.
Json finite_or_text(double value) {
    return std::isfinite(value) ? Json(value) : Json("infinite");
}

template <class T>
HostMatrix<T> host_of(Stream& stream, const Matrix<T>& matrix) {
    HostMatrix<T> host;
    host.rows = matrix.rows();
    host.cols = matrix.cols();
    host.data = matrix.download(stream);
    return host;
}

/// Seconds that the stream takes for `work`.
template <class Work>
double dense_seconds(Stream& stream, Work work) {
    stream.synchronize();
    auto start = std::chrono::steady_clock::now();
    work();
    stream.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string dense_mode_of(const DenseTask& task, const Device& device) {
    return task.mode.empty() ? dense_modes(task.problem, device.kind()).front() : task.mode;
}

std::unique_ptr<LuSolver> configured_lu(const DenseTask& task, const Device& device) {
    auto mode = dense_mode_of(task, device);
    auto solver = make_lu_solver(mode, device);
    set_given(solver->settings(), mode, task.settings, mode);
    return solver;
}

/// The right matrix of a problem.
template <class T>
Matrix<T> right_of(Blas& blas, const DenseTask& task, int rows) {
    if (task.right_file.empty())
        return make_matrix<T>(blas, {"uniform", std::max(rows, 1), std::max(task.n_right, 1), 1,
                                     task.input.spec.seed + 1});
    return make_input<T>(blas, {task.right_file, {}}, nullptr);
}

template <class T>
void report_factors(Blas& blas, MatrixView<const T> a, const LuFactors<T>& factors, Json& report) {
    Stream& stream = blas.stream();
    auto accuracy = measure_lu<T>(blas, a, factors);
    report["accuracy"] = {{"residual", accuracy.residual}, {"growth", accuracy.growth}};
    Json results;
    if (a.rows == a.cols) {
        auto determinant = determinant_of(stream, factors);
        double norm = one_norm<T>(stream, a);
        results["determinant"] = {{"mantissa", determinant.mantissa},
                                  {"exponent", determinant.exponent},
                                  {"log", finite_or_text(determinant.log_magnitude())}};
        results["condition"] = finite_or_text(condition_of(blas, factors, norm));
    }
    results["zero_pivot"] = first_zero_pivot(stream, factors);
    report["results"] = results;
}

template <class T>
LuFactors<T> factorised_lu(Stream& stream, const DenseTask& task, MatrixView<const T> a,
                           SolverRun& run, Json& report) {
    auto solver = configured_lu(task, stream.device());
    LuFactors<T> factors;
    report["seconds"] = dense_seconds(stream, [&] { factors = solver->factorise(stream, a, run); });
    report["mode"] = factors.mode;
    report["stages"] = stages_json(factors.stages);
    return factors;
}

template <class T>
void run_lu(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run, Json& report,
            DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto factors = factorised_lu<T>(stream, task, a, run, report);
    report_factors<T>(blas, a, factors, report);
    if (!files) return;
    int k = std::min(a.rows, a.cols);
    Matrix<T> l(stream, a.rows, k), u(stream, k, a.cols);
    TL_DISPATCH(stream.device(), unpack_lower<T>(stream, factors.lu.view(), l.view()));
    TL_DISPATCH(stream.device(), unpack_upper<T>(stream, factors.lu.view(), u.view()));
    files->matrices = {{"_L", host_of(stream, l)}, {"_U", host_of(stream, u)}};
    files->order = row_order(factors.swaps, a.rows);
    files->has_order = true;
}

/// The error of a matrix whose inverse does not exist, or is not finite.
UserError no_inverse(int zero_pivot) {
    if (zero_pivot >= 0)
        return UserError("inverse: the matrix is singular: the pivot of column " +
                         std::to_string(zero_pivot) + ", counted from 0, is zero");
    return UserError(
        "inverse: its elements are beyond the range of its numbers: the matrix is singular up to "
        "rounding, or too small; multiply it by a power of ten, or invert it in double");
}

template <class T>
void run_inverse(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
                 Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    if (a.rows != a.cols)
        throw UserError("inverse: the matrix is " + std::to_string(a.rows) + "x" +
                        std::to_string(a.cols) + ", but only square ones have an inverse");
    auto factors = factorised_lu<T>(stream, task, a, run, report);
    Matrix<T> inverse, identity(stream, a.rows, a.cols);
    TL_DISPATCH(stream.device(), set_identity<T>(stream, identity.view()));
    int zero_pivot = first_zero_pivot(stream, factors);
    std::string note;
    double seconds = dense_seconds(stream, [&] {
        if (zero_pivot < 0) inverse = inverse_of(blas, factors);
        if (zero_pivot < 0 && all_finite<T>(stream, inverse.view())) return;
        auto scaled = solve_equilibrated(stream, a, identity.download(stream), run);
        if (!scaled) throw no_inverse(zero_pivot);
        inverse = std::move(*scaled);
        note = "rows and columns were scaled, since it overflowed without";
    });
    report["seconds"] = report["seconds"].get<double>() + seconds;
    report_factors<T>(blas, a, factors, report);
    // The backward error of A X = I over n eps, which is of the order of 1 or less.
    report["accuracy"]["residual"] =
        backward_error<T>(blas, a, inverse.view(), identity.view()) /
        (a.rows * static_cast<double>(std::numeric_limits<T>::epsilon()));
    report["results"]["condition"] =
        finite_or_text(one_norm<T>(stream, a) * one_norm<T>(stream, inverse.view()));
    if (!note.empty()) report["results"]["note"] = note;
    if (files) files->matrices = {{"_X", host_of(stream, inverse)}};
}

template <class T>
void run_rref(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
              Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    Rref<T> form;
    report["seconds"] =
        dense_seconds(stream, [&] { form = reduce_rows<T>(stream, a, task.tolerance, run); });
    report["mode"] = form.full_rank ? "blocked, full rank" : "blocked, by columns";
    report["stages"] = stages_json(form.stages);
    auto rank = static_cast<int>(form.pivots.size());
    // ||A - A[:, pivots] R|| / ||A||.
    Matrix<T> chosen(stream, a.rows, rank), difference(stream, a.rows, a.cols);
    DeviceArray<int> pivots(stream, form.pivots);
    TL_DISPATCH(stream.device(), permute_columns<T>(stream, a, pivots.view(), chosen.view()));
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a, difference.view()));
    double norm = frobenius_norm<T>(stream, a);
    if (rank > 0)
        blas.gemm(Transpose::no, Transpose::no, T(-1), chosen.view(),
                  form.r.view().block(0, 0, rank, a.cols), T(1), difference.view());
    report["accuracy"] = {
        {"residual", norm > 0 ? frobenius_norm<T>(stream, difference.view()) / norm : 0.0}};
    report["results"] = {{"rank", rank}, {"tolerance", form.tolerance}, {"pivots", form.pivots}};
    if (files) files->matrices = {{"_R", host_of(stream, form.r)}};
}

template <class T>
void run_solve(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
               Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto solver = make_linear_solver(dense_mode_of(task, stream.device()), stream.device());
    auto b = right_of<T>(blas, task, a.rows);
    LinearSolution<T> solution;
    report["seconds"] =
        dense_seconds(stream, [&] { solution = solver->solve(stream, a, b.view(), run); });
    report["mode"] = solution.mode;
    report["stages"] = stages_json(solution.stages);
    report["accuracy"] = {
        {"backward_error", backward_error<T>(blas, a, solution.x.view(), b.view())}};
    report["results"] = {{"right_sides", b.cols()}, {"refinement_steps", solution.steps}};
    if (!solution.note.empty()) report["results"]["note"] = solution.note;
    if (files) files->matrices = {{"_X", host_of(stream, solution.x)}};
}

template <class T>
void run_matmul(Blas& blas, const DenseTask& task, MatrixView<const T> a, Json& report,
                DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto mode = dense_mode_of(task, stream.device());
    auto multiplier = make_multiplier(mode, stream.device());
    auto wide = task;
    // A generated B has as many columns as A.
    if (wide.right_file.empty()) wide.n_right = a.cols;
    auto b = right_of<T>(blas, wide, a.cols);
    if (b.rows() != a.cols)
        throw UserError("matmul: the right matrix has " + std::to_string(b.rows()) +
                        " rows, but the left one has " + std::to_string(a.cols) + " columns");
    Matrix<T> c(stream, a.rows, b.cols());
    double seconds = dense_seconds(stream, [&] {
        multiplier->multiply(stream, Transpose::no, Transpose::no, T(1), a, b.view(), T(0),
                             c.view());
    });
    report["seconds"] = seconds;
    report["mode"] = mode;
    report["stages"] = Json::array();
    report["accuracy"] = {{"error", product_error<T>(stream, a, b.view(), c.view())}};
    report["results"] = {
        {"gflops", 2.0 * a.rows * a.cols * b.cols() / std::max(seconds, 1e-9) / 1e9}};
    if (files) files->matrices = {{"_X", host_of(stream, c)}};
}

}  // namespace

const char* id_of(DenseProblem problem) {
    constexpr const char* kIds[] = {"lu", "rref", "solve", "inverse", "matmul"};
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
        case DenseProblem::rref:
            break;
    }
    return {"blocked"};
}

std::string dense_mode_ids(DenseProblem problem) {
    if (problem == DenseProblem::solve) return ids_of(linear_solvers());
    if (problem == DenseProblem::matmul) return ids_of(multipliers());
    return ids_of(lu_solvers());
}

template <class T>
static Json run_task(Stream& stream, const DenseTask& task, SolverRun& run, DenseFiles<T>* files) {
    auto blas = make_blas(stream);
    if (task.input.file.empty()) {
        auto bytes = 5 * static_cast<std::uint64_t>(task.input.spec.rows) *
                     static_cast<std::uint64_t>(task.input.spec.cols) * sizeof(T);
        require_memory(stream.device(), bytes, "the matrix with its results",
                       "ask for a smaller matrix, or for float instead of double");
    }
    auto a = make_input<T>(*blas, task.input, nullptr);
    auto view = MatrixView<const T>(a.view());
    Json report{{"rows", a.rows()}, {"cols", a.cols()}, {"mode", ""}, {"seconds", 0.0}};
    switch (task.problem) {
        case DenseProblem::lu:
            run_lu<T>(*blas, task, view, run, report, files);
            break;
        case DenseProblem::rref:
            run_rref<T>(*blas, task, view, run, report, files);
            break;
        case DenseProblem::solve:
            run_solve<T>(*blas, task, view, run, report, files);
            break;
        case DenseProblem::inverse:
            run_inverse<T>(*blas, task, view, run, report, files);
            break;
        case DenseProblem::matmul:
            run_matmul<T>(*blas, task, view, report, files);
            break;
    }
    return report;
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
