#include "solvers/dense/linear/solve_each.h"

#include "solvers/dense/matrix_kernels.h"

namespace tl {
namespace {

std::string extents(int rows, int cols) {
    return std::to_string(rows) + "x" + std::to_string(cols);
}

/// Throws for the first system without a solution.
void check_status(const std::vector<int>& status, int n) {
    for (std::size_t k = 0; k < status.size(); ++k) {
        if (status[k] < 0) continue;
        std::string system = "solve-each: system " + std::to_string(k) + ", counted from 0, ";
        if (status[k] < n)
            throw UserError(system + "is singular: the pivot of column " +
                            std::to_string(status[k]) + ", counted from 0, is zero");
        throw UserError(system +
                        "has no finite solution: its matrix or right side has elements that are "
                        "not finite, or is singular up to rounding");
    }
}

}  // namespace

int count_systems(int rows, int a_cols, int b_rows, int b_cols) {
    if (rows < 1 || a_cols < rows || a_cols % rows != 0)
        throw UserError("solve-each: square matrices side by side are needed, but there are " +
                        extents(rows, a_cols) + " elements");
    if (rows > kMostRowsOfEach)
        throw UserError("solve-each: the matrices have " + std::to_string(rows) +
                        " rows, but may have " + std::to_string(kMostRowsOfEach) +
                        "; solve one after the other");
    int n_systems = a_cols / rows;
    if (b_rows != rows || b_cols % n_systems != 0)
        throw UserError("solve-each: the right sides are " + extents(b_rows, b_cols) + ", but " +
                        std::to_string(n_systems) + " systems need " + std::to_string(rows) +
                        " rows and as many columns each");
    return n_systems;
}

template <class T>
Matrix<T> solve_each(Stream& stream, MatrixView<const T> a, MatrixView<const T> b, SolverRun& run) {
    int n_systems = count_systems(a.rows, a.cols, b.rows, b.cols);
    run.report(0);
    Matrix<T> factors(stream, a.rows, a.cols), x(stream, b.rows, b.cols);
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a, factors.view()));
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, b, x.view()));
    DeviceArray<int> status(stream, static_cast<std::size_t>(n_systems));
    TL_DISPATCH(stream.device(), solve_systems<T>(stream, factors.view(), x.view(), status.view()));
    check_status(status.download(stream), a.rows);
    run.report(1);
    return x;
}

template Matrix<float> solve_each(Stream&, MatrixView<const float>, MatrixView<const float>,
                                  SolverRun&);
template Matrix<double> solve_each(Stream&, MatrixView<const double>, MatrixView<const double>,
                                   SolverRun&);

}  // namespace tl
