// Copies of strided blocks: each thread takes elements of one column.
#include "solvers/queue/strided_block.h"

#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

template <class T>
void copy_from_block(Stream& stream, MatrixView<const T> from, BlockOrigin origin,
                     MatrixView<T> to) {
    for_elements(
        stream, "copy strided block", to.rows, to.cols, TL_LAMBDA(int i, int j) {
            to(i, j) = from(origin.row + i * origin.row_step, origin.col + j * origin.col_step);
        });
}

template <class T>
void copy_to_block(Stream& stream, MatrixView<const T> from, BlockOrigin origin, MatrixView<T> to) {
    for_elements(
        stream, "replace strided block", from.rows, from.cols, TL_LAMBDA(int i, int j) {
            to(origin.row + i * origin.row_step, origin.col + j * origin.col_step) = from(i, j);
        });
}

template void copy_from_block(Stream&, MatrixView<const float>, BlockOrigin, MatrixView<float>);
template void copy_from_block(Stream&, MatrixView<const double>, BlockOrigin, MatrixView<double>);
template void copy_to_block(Stream&, MatrixView<const float>, BlockOrigin, MatrixView<float>);
template void copy_to_block(Stream&, MatrixView<const double>, BlockOrigin, MatrixView<double>);

TL_DEVICE_END
