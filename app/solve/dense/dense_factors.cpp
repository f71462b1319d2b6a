// PLU factorisations and inverses.
#include <limits>

#include "app/commands/commands.h"
#include "app/solve/dense/dense_runs.h"
#include "solvers/dense/linear/equilibrated.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

std::unique_ptr<LuSolver> configured_lu(const DenseTask& task, const Device& device) {
    auto mode = dense_mode_of(task, device);
    auto solver = make_lu_solver(mode, device);
    set_given(solver->settings(), mode, task.settings, mode);
    return solver;
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
        results["determinant"] = determinant_json(determinant);
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

/// The error of a matrix whose inverse does not exist, or is not finite.
UserError no_inverse(int zero_pivot) {
    if (zero_pivot >= 0)
        return UserError("inverse: the matrix is singular: the pivot of column " +
                         std::to_string(zero_pivot) + ", counted from 0, is zero");
    return UserError(
        "inverse: its elements are beyond the range of its numbers: the matrix is singular up to "
        "rounding, or too small; multiply it by a power of ten, or invert it in double");
}

}  // namespace

template <class T>
static void run_lu_as(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
                      Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto factors = factorised_lu<T>(stream, task, a, run, report);
    report_factors<T>(blas, a, factors, report);
    if (!files) return;
    if (task.packed) {
        files->matrices = {{"_LU", host_of(stream, factors.lu)}};
    } else {
        int k = std::min(a.rows, a.cols);
        Matrix<T> l(stream, a.rows, k), u(stream, k, a.cols);
        TL_DISPATCH(stream.device(), unpack_lower<T>(stream, factors.lu.view(), l.view()));
        TL_DISPATCH(stream.device(), unpack_upper<T>(stream, factors.lu.view(), u.view()));
        files->matrices = {{"_L", host_of(stream, l)}, {"_U", host_of(stream, u)}};
    }
    files->orders = {{"_p", order_of(factors.swaps, a.rows)}};
    if (moves_columns(task.mode))
        files->orders.emplace_back("_q", order_of(factors.column_swaps, a.cols));
}

template <class T>
static void run_inverse_as(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
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

void run_lu(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
            Json& report, DenseFiles<float>* files) {
    run_lu_as(blas, task, a, run, report, files);
}
void run_lu(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
            Json& report, DenseFiles<double>* files) {
    run_lu_as(blas, task, a, run, report, files);
}
void run_inverse(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
                 Json& report, DenseFiles<float>* files) {
    run_inverse_as(blas, task, a, run, report, files);
}
void run_inverse(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
                 Json& report, DenseFiles<double>* files) {
    run_inverse_as(blas, task, a, run, report, files);
}

}  // namespace tl
