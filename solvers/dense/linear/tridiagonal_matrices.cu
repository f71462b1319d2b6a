#include "solvers/dense/linear/tridiagonal_matrices.h"

#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

template <class T>
void write_tridiagonals(Stream& stream, MatrixView<const T> diagonals, MatrixView<const T> beside,
                        MatrixView<T> a) {
    int n = diagonals.rows;
    auto n_columns = static_cast<std::uint32_t>(a.cols);
    parallel_for(
        stream, "tridiagonal matrices", n_columns, TL_LAMBDA(std::uint32_t column) {
            int j = static_cast<int>(column), t = j / n, i = j % n;
            a(i, j) = diagonals(i, t);
            if (n < 2) return;
            int before = i > 0 ? i - 1 : n - 1, after = i < n - 1 ? i + 1 : 0;
            T above = beside(before, t), below = beside(i, t);
            // Two cells have one element for both neighbours.
            a(before, j) = n == 2 ? above + below : above;
            a(after, j) = n == 2 ? above + below : below;
        });
}

template void write_tridiagonals(Stream&, MatrixView<const float>, MatrixView<const float>,
                                 MatrixView<float>);
template void write_tridiagonals(Stream&, MatrixView<const double>, MatrixView<const double>,
                                 MatrixView<double>);

TL_DEVICE_END
