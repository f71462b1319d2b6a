// Reduced row echelon forms.
#include "app/solve/dense/dense_runs.h"
#include "core/base/error.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/dense/rref/rref.h"

namespace tl {

using Json = nlohmann::ordered_json;

/// [A b] with b the sums of the rows of A.
template <class T>
static Matrix<T> with_row_sums(Blas& blas, const DenseTask& task, MatrixView<const T> a) {
    Stream& stream = blas.stream();
    Matrix<T> wide(stream, a.rows, a.cols + 1);
    auto one_side = task;
    one_side.n_right = 1;
    auto b = right_of(blas, one_side, a, a.rows);
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a, wide.view().columns(0, a.cols)));
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, b.view(), wide.view().columns(a.cols, 1)));
    return wide;
}

/// ||A[:, q] - A[:, q of pivots] R|| / ||A|| of the columns that may have pivots.
template <class T>
static double reduction_error(Blas& blas, MatrixView<const T> a, const Rref<T>& form, int cols) {
    Stream& stream = blas.stream();
    auto rank = static_cast<int>(form.pivots.size());
    std::vector<int> order, chosen;
    for (int j = 0; j < cols; ++j) order.push_back(form.order.empty() ? j : form.order[j]);
    for (int pivot : form.pivots) chosen.push_back(order[static_cast<std::size_t>(pivot)]);
    Matrix<T> basis(stream, a.rows, rank), difference(stream, a.rows, cols);
    DeviceArray<int> all(stream, order), pivots(stream, chosen);
    TL_DISPATCH(stream.device(), permute_columns<T>(stream, a, pivots.view(), basis.view()));
    TL_DISPATCH(stream.device(), permute_columns<T>(stream, a, all.view(), difference.view()));
    double norm = frobenius_norm<T>(stream, difference.view());
    if (rank > 0)
        blas.gemm(Transpose::no, Transpose::no, T(-1), basis.view(),
                  form.r.view().block(0, 0, rank, cols), T(1), difference.view());
    return norm > 0 ? frobenius_norm<T>(stream, difference.view()) / norm : 0.0;
}

template <class T>
static void run_rref_as(Blas& blas, const DenseTask& task, MatrixView<const T> a, SolverRun& run,
                        Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    Matrix<T> wide;
    int right = task.right_cols;
    if (task.known_solution) {
        wide = with_row_sums(blas, task, a);
        a = wide.view();
        right = 1;
        report["cols"] = a.cols;
    }
    const std::string mode = task.mode.empty() ? "blocked" : task.mode;
    bool is_complete = moves_columns(mode);
    if (is_complete && right >= a.cols)
        throw UserError("rref: the matrix has " + std::to_string(a.cols) + " columns, of which " +
                        std::to_string(right) + " are right sides: none is left for pivots");
    Rref<T> form;
    report["seconds"] = dense_seconds(stream, [&] {
        form = is_complete ? reduce_rows_completely<T>(stream, a, right, task.tolerance, run)
                           : reduce_rows<T>(stream, a, task.tolerance, run, mode);
    });
    report["mode"] = is_complete      ? mode
                     : form.full_rank ? mode + ", full rank"
                                      : mode + ", by columns";
    report["stages"] = stages_json(form.stages);
    // Right sides need not be sums of A's columns unless their solution is known.
    int checked = is_complete && !task.known_solution ? a.cols - right : a.cols;
    report["accuracy"] = {{"residual", reduction_error(blas, a, form, checked)}};
    if (task.known_solution) {
        auto solution = form.r.download(stream);
        auto rank = static_cast<std::ptrdiff_t>(form.pivots.size());
        auto last = solution.end() - a.rows;
        report_solution_errors(std::vector<T>(last, last + std::min<std::ptrdiff_t>(rank, a.rows)),
                               report);
    }
    report["results"] = {
        {"rank", form.pivots.size()}, {"tolerance", form.tolerance}, {"pivots", form.pivots}};
    if (!files) return;
    files->matrices = {{"_R", host_of(stream, form.r)}};
    if (is_complete) files->orders = {{"_q", form.order}};
}

void run_rref(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
              Json& report, DenseFiles<float>* files) {
    run_rref_as(blas, task, a, run, report, files);
}
void run_rref(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
              Json& report, DenseFiles<double>* files) {
    run_rref_as(blas, task, a, run, report, files);
}

}  // namespace tl
