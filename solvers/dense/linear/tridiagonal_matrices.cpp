#include "solvers/dense/linear/tridiagonal_matrices.h"

namespace tl {

int count_tridiagonals(int rows, int cols, int beside_rows, int beside_cols) {
    if (rows < 1 || cols < 1 || rows != beside_rows || cols != beside_cols)
        throw UserError("tridiagonals: diagonals of " + std::to_string(rows) + "x" +
                        std::to_string(cols) + " elements need as many elements beside them, not " +
                        std::to_string(beside_rows) + "x" + std::to_string(beside_cols));
    return cols;
}

template <class T>
Matrix<T> tridiagonal_matrices(Stream& stream, MatrixView<const T> diagonals,
                               MatrixView<const T> beside) {
    int count = count_tridiagonals(diagonals.rows, diagonals.cols, beside.rows, beside.cols);
    Matrix<T> a(stream, diagonals.rows, diagonals.rows * count);
    auto n = static_cast<std::size_t>(diagonals.rows);
    stream.device().fill_zero(stream, a.view().data,
                              n * n * static_cast<std::size_t>(count) * sizeof(T));
    TL_DISPATCH(stream.device(), write_tridiagonals<T>(stream, diagonals, beside, a.view()));
    return a;
}

template Matrix<float> tridiagonal_matrices(Stream&, MatrixView<const float>,
                                            MatrixView<const float>);
template Matrix<double> tridiagonal_matrices(Stream&, MatrixView<const double>,
                                             MatrixView<const double>);

}  // namespace tl
