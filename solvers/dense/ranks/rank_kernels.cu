#include "solvers/dense/ranks/rank_kernels.h"

#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

template <class T>
void copy_rows(Stream& stream, MatrixView<const T> from, View<const int> from_rows,
               MatrixView<T> to, View<const int> to_rows) {
    for_elements(
        stream, "copy rows", static_cast<int>(from_rows.size), to.cols,
        TL_LAMBDA(int i, int j) { to(to_rows[i], j) = from(from_rows[i], j); });
}

template void copy_rows(Stream&, MatrixView<const float>, View<const int>, MatrixView<float>,
                        View<const int>);
template void copy_rows(Stream&, MatrixView<const double>, View<const int>, MatrixView<double>,
                        View<const int>);

TL_DEVICE_END
