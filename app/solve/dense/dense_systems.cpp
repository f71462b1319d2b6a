// Systems of equations, least squares, pseudo-inverses and products.
#include <algorithm>
#include <cmath>

#include "app/solve/dense/dense_runs.h"
#include "app/solve/dense/stored_factors.h"
#include "core/base/error.h"
#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/least_squares/least_squares.h"

namespace tl {

using Json = nlohmann::ordered_json;

template <class T>
static void run_solve_as(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
                         Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto solver = make_linear_solver(dense_mode_of(task, stream.device()), stream.device());
    auto b = right_of(blas, task, a, a.rows);
    LinearSolution<T> solution;
    report["seconds"] =
        dense_seconds(stream, [&] { solution = solver->solve(stream, a, b.view(), run); });
    report["mode"] = solution.mode;
    report["stages"] = stages_json(solution.stages);
    report["accuracy"] = {
        {"backward_error", backward_error<T>(blas, a, solution.x.view(), b.view())}};
    if (task.known_solution) report_solution_errors(solution.x.download(stream), report);
    report["results"] = {{"right_sides", b.cols()}, {"refinement_steps", solution.steps}};
    if (!solution.note.empty()) report["results"]["note"] = solution.note;
    if (files) files->matrices = {{"_X", host_of(stream, solution.x)}};
}

/// The backward error of the two triangular solves: the larger one.
template <class T>
static double substitution_error(Blas& blas, const StoredFactors<T>& factors, Transpose op,
                                 MatrixView<const T> x, MatrixView<const T> b) {
    Stream& stream = blas.stream();
    auto& device = stream.device();
    int n = b.rows;
    bool is_plain = op == Transpose::no;
    auto& first_order = is_plain ? factors.p : factors.q;
    auto& last_order = is_plain ? factors.q : factors.p;
    Matrix<T> right(stream, n, b.cols), middle(stream, n, b.cols), last(stream, n, b.cols);
    auto ordered = [&](const std::vector<int>& order, MatrixView<const T> from, MatrixView<T> to) {
        if (order.empty()) return TL_DISPATCH(device, copy_matrix<T>(stream, from, to));
        DeviceArray<int> rows(stream, order);
        TL_DISPATCH(device, gather_rows<T>(stream, from, rows.view(), to));
    };
    ordered(first_order, b, right.view());
    ordered(last_order, x, last.view());
    Matrix<T> l(stream, n, n), u(stream, n, n);
    TL_DISPATCH(device, unpack_lower<T>(stream, factors.lu.view(), l.view()));
    TL_DISPATCH(device, unpack_upper<T>(stream, factors.lu.view(), u.view()));
    if (!is_plain) {
        auto turned = [&](Matrix<T>& triangle) {
            Matrix<T> to(stream, n, n);
            TL_DISPATCH(device, transpose_matrix<T>(stream, triangle.view(), to.view()));
            triangle = std::move(to);
        };
        turned(l);
        turned(u);
        std::swap(l, u);
    }
    TL_DISPATCH(device, copy_matrix<T>(stream, right.view(), middle.view()));
    blas.solve(is_plain ? Triangle::unit_lower : Triangle::upper, op, factors.lu.view(),
               middle.view());
    return std::max(backward_error<T>(blas, l.view(), middle.view(), right.view()),
                    backward_error<T>(blas, u.view(), last.view(), middle.view()));
}

template <class T>
static void run_with_factors_as(Blas& blas, const DenseTask& task, MatrixView<const T> a,
                                SolverRun& run, Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto factors = read_factors<T>(stream, task.factors);
    int n = factors.lu.rows();
    bool has_matrix = !a.empty();
    if (has_matrix && (a.rows != n || a.cols != n))
        throw UserError("solve: the matrix is " + std::to_string(a.rows) + "x" +
                        std::to_string(a.cols) + ", but the factors are of one of " +
                        std::to_string(n) + "x" + std::to_string(n));
    if (int pivot = first_zero_pivot<T>(stream, factors.lu.view()); pivot >= 0)
        throw singular_matrix(pivot);
    auto b = right_of(blas, task, a, n);
    if (b.rows() != n)
        throw UserError("solve: the right side is " + std::to_string(b.rows()) + "x" +
                        std::to_string(b.cols()) + ", but the factors have " + std::to_string(n) +
                        " rows");
    auto op = task.transposed ? Transpose::yes : Transpose::no;
    Matrix<T> x(stream, n, b.cols());
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, b.view(), x.view()));
    report["rows"] = report["cols"] = n;
    report["mode"] = "stored factors";
    report["seconds"] = dense_seconds(stream, [&] {
        substitute<T>(blas, factors.lu.view(), factors.p, factors.q, op, x.view());
    });
    run.report(1);
    if (!all_finite<T>(stream, x.view())) throw infinite_solution();
    report["stages"] = Json::array();
    report["accuracy"] = Json::object();
    if (has_matrix) {
        Matrix<T> turned(stream, n, n);
        if (task.transposed)
            TL_DISPATCH(stream.device(), transpose_matrix<T>(stream, a, turned.view()));
        MatrixView<const T> matrix = task.transposed ? turned.view() : a;
        report["accuracy"]["backward_error"] = backward_error<T>(blas, matrix, x.view(), b.view());
    }
    report["accuracy"]["substitution_error"] =
        substitution_error<T>(blas, factors, op, x.view(), b.view());
    if (task.known_solution) report_solution_errors(x.download(stream), report);
    report["results"] = {{"right_sides", b.cols()}};
    if (files) files->matrices = {{"_X", host_of(stream, x)}};
}

template <class T>
static void run_lstsq_as(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
                         Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto solver = make_least_squares_solver(dense_mode_of(task, stream.device()), stream.device());
    auto b = right_of(blas, task, a, a.rows);
    LeastSquares<T> solution;
    report["seconds"] = dense_seconds(
        stream, [&] { solution = solver->solve(stream, a, b.view(), task.rcond, run); });
    report["mode"] = solution.mode;
    report["stages"] = stages_json(solution.stages);
    report["accuracy"] = {
        {"gradient_error", gradient_error<T>(blas, a, solution.x.view(), b.view())}};
    if (task.known_solution) report_solution_errors(solution.x.download(stream), report);
    Matrix<T> residual(stream, b.rows(), b.cols());
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, b.view(), residual.view()));
    blas.gemm(Transpose::no, Transpose::no, T(-1), a, solution.x.view(), T(1), residual.view());
    report["results"] = {{"right_sides", b.cols()},
                         {"rank", solution.rank},
                         {"rcond", solution.rcond},
                         {"residual_norm", frobenius_norm<T>(stream, residual.view())},
                         {"solution_norm", frobenius_norm<T>(stream, solution.x.view())}};
    if (!solution.values.empty()) report["results"]["singular_values"] = solution.values;
    if (!solution.note.empty()) report["results"]["note"] = solution.note;
    if (files) files->matrices = {{"_X", host_of(stream, solution.x)}};
}

template <class T>
static void run_pinv_as(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
                        Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    LeastSquares<T> inverse;
    report["seconds"] =
        dense_seconds(stream, [&] { inverse = pseudo_inverse<T>(stream, a, task.rcond, run); });
    report["mode"] = inverse.mode;
    report["stages"] = stages_json(inverse.stages);
    // ||A - A A+ A|| / ||A||, which is that of the singular values that count as zero.
    // The smaller of the projectors A A+ and A+ A is formed.
    bool is_tall = a.rows > a.cols;
    int order = std::min(a.rows, a.cols);
    Matrix<T> projector(stream, order, order), difference(stream, a.rows, a.cols);
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a, difference.view()));
    MatrixView<const T> x = inverse.x.view();
    blas.gemm(Transpose::no, Transpose::no, T(1), is_tall ? x : a, is_tall ? a : x, T(0),
              projector.view());
    MatrixView<const T> p = projector.view();
    blas.gemm(Transpose::no, Transpose::no, T(-1), is_tall ? a : p, is_tall ? p : a, T(1),
              difference.view());
    double norm = frobenius_norm<T>(stream, a);
    report["accuracy"] = {
        {"residual", norm > 0 ? frobenius_norm<T>(stream, difference.view()) / norm : 0.0}};
    report["results"] = {{"rank", inverse.rank}, {"rcond", inverse.rcond}};
    if (!inverse.values.empty()) report["results"]["singular_values"] = inverse.values;
    if (files) files->matrices = {{"_X", host_of(stream, inverse.x)}};
}

template <class T>
static void run_matmul_as(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
                          Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto mode = dense_mode_of(task, stream.device());
    auto multiplier = make_multiplier(mode, stream.device());
    auto wide = task;
    wide.known_solution = false;
    wide.n_right = task.right_cols > 0 ? task.right_cols : a.cols;
    auto b = right_of(blas, wide, a, a.cols);
    if (b.rows() != a.cols)
        throw UserError("matmul: the right matrix has " + std::to_string(b.rows()) +
                        " rows, but the left one has " + std::to_string(a.cols) + " columns");
    Matrix<T> c(stream, a.rows, b.cols());
    double seconds = dense_seconds(stream, [&] {
        multiplier->multiply(stream, Transpose::no, Transpose::no, T(1), a, b.view(), T(0),
                             c.view());
    });
    run.report(1);
    report["seconds"] = seconds;
    report["mode"] = mode;
    report["stages"] = Json::array();
    report["accuracy"] = {{"error", product_error<T>(stream, a, b.view(), c.view())}};
    report["results"] = {
        {"right_columns", b.cols()},
        {"gflops", 2.0 * a.rows * a.cols * b.cols() / std::max(seconds, 1e-9) / 1e9}};
    if (files) files->matrices = {{"_X", host_of(stream, c)}};
}

void run_solve(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
               Json& report, DenseFiles<float>* files) {
    run_solve_as(blas, task, a, run, report, files);
}
void run_solve(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
               Json& report, DenseFiles<double>* files) {
    run_solve_as(blas, task, a, run, report, files);
}
void run_with_factors(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
                      Json& report, DenseFiles<float>* files) {
    run_with_factors_as(blas, task, a, run, report, files);
}
void run_with_factors(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
                      Json& report, DenseFiles<double>* files) {
    run_with_factors_as(blas, task, a, run, report, files);
}
void run_lstsq(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
               Json& report, DenseFiles<float>* files) {
    run_lstsq_as(blas, task, a, run, report, files);
}
void run_lstsq(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
               Json& report, DenseFiles<double>* files) {
    run_lstsq_as(blas, task, a, run, report, files);
}
void run_pinv(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
              Json& report, DenseFiles<float>* files) {
    run_pinv_as(blas, task, a, run, report, files);
}
void run_pinv(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
              Json& report, DenseFiles<double>* files) {
    run_pinv_as(blas, task, a, run, report, files);
}
void run_matmul(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
                Json& report, DenseFiles<float>* files) {
    run_matmul_as(blas, task, a, run, report, files);
}
void run_matmul(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
                Json& report, DenseFiles<double>* files) {
    run_matmul_as(blas, task, a, run, report, files);
}

}  // namespace tl
