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

template <class T>
void take_and_replace_rows(Stream& stream, MatrixView<T> a, View<const int> rows,
                           View<const int> replacements, MatrixView<T> to,
                           View<const int> positions) {
    for_elements(
        stream, "take and replace rows", static_cast<int>(rows.size), to.cols,
        TL_LAMBDA(int i, int j) {
            to(positions[i], j) = a(rows[i], j);
            if (replacements[i] >= 0) a(rows[i], j) = a(replacements[i], j);
        });
}

template void take_and_replace_rows(Stream&, MatrixView<float>, View<const int>, View<const int>,
                                    MatrixView<float>, View<const int>);
template void take_and_replace_rows(Stream&, MatrixView<double>, View<const int>, View<const int>,
                                    MatrixView<double>, View<const int>);
template void copy_rows(Stream&, MatrixView<const float>, View<const int>, MatrixView<float>,
                        View<const int>);
template void copy_rows(Stream&, MatrixView<const double>, View<const int>, MatrixView<double>,
                        View<const int>);

TL_DEVICE_END
