// Small kernels on matrices: a block handles a tile of rows of a column, or a square to transpose.
#include "solvers/dense/matrix_kernels.h"

#include "solvers/dense/complex.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kSquare = 32;
constexpr int kSquareThreads = 256;

/// Transposes a square tile in shared memory, so that global reads and writes are coalesced.
template <class T>
struct TransposeSquare {
    struct Shared {
        T square[kSquare][kSquare + 1];
    };
    MatrixView<const T> from;
    MatrixView<T> to;
    int n_row_squares;

    TL_D void operator()(const Block<kSquareThreads>& block, Shared& shared) const {
        int i0 = static_cast<int>(block.index) % n_row_squares * kSquare;
        int j0 = static_cast<int>(block.index) / n_row_squares * kSquare;
        for (std::uint32_t k = block.rank; k < kSquare * kSquare; k += block.size) {
            int i = static_cast<int>(k % kSquare), j = static_cast<int>(k / kSquare);
            if (i0 + i < from.rows && j0 + j < from.cols)
                shared.square[j][i] = from(i0 + i, j0 + j);
        }
        block.sync();
        for (std::uint32_t k = block.rank; k < kSquare * kSquare; k += block.size) {
            int j = static_cast<int>(k % kSquare), i = static_cast<int>(k / kSquare);
            if (i0 + i < from.rows && j0 + j < from.cols)
                to(j0 + j, i0 + i) = conjugate(shared.square[j][i]);
        }
    }
};

}  // namespace

template <class T>
void set_identity(Stream& stream, MatrixView<T> a) {
    for_elements(
        stream, "identity", a.rows, a.cols,
        TL_LAMBDA(int i, int j) { a(i, j) = i == j ? T(1) : T(0); });
}
template <class T>
void set_zero(Stream& stream, MatrixView<T> a) {
    for_elements(
        stream, "zero", a.rows, a.cols, TL_LAMBDA(int i, int j) { a(i, j) = T(0); });
}
template <class T>
void zero_above_diagonal(Stream& stream, MatrixView<T> a) {
    for_elements(
        stream, "zero above diagonal", a.rows, a.cols, TL_LAMBDA(int i, int j) {
            if (i < j) a(i, j) = T(0);
        });
}
template <class T>
void copy_matrix(Stream& stream, MatrixView<const T> from, MatrixView<T> to) {
    for_elements(
        stream, "copy matrix", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = from(i, j); });
}
template <class T>
void permute_columns(Stream& stream, MatrixView<const T> from, View<const int> order,
                     MatrixView<T> to) {
    for_elements(
        stream, "permute columns", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = from(i, order[j]); });
}
template <class T>
void scale_columns(Stream& stream, MatrixView<T> a, View<const T> factors) {
    for_elements(
        stream, "scale columns", a.rows, a.cols,
        TL_LAMBDA(int i, int j) { a(i, j) *= factors[j]; });
}
template <class T>
void scale_rows(Stream& stream, MatrixView<const T> from, View<const Complex<T>> factors,
                MatrixView<Complex<T>> to) {
    for_elements(
        stream, "scale rows", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = factors[i] * from(i, j); });
}
template <class T>
void transpose_matrix(Stream& stream, MatrixView<const T> from, MatrixView<T> to) {
    if (from.empty()) return;
    int n_rows = (from.rows + kSquare - 1) / kSquare, n_cols = (from.cols + kSquare - 1) / kSquare;
    launch_blocks<kSquareThreads>(
        stream, "transpose",
        static_cast<std::uint32_t>(n_rows) * static_cast<std::uint32_t>(n_cols),
        TransposeSquare<T>{from, to, n_rows});
}

#define TL_INSTANTIATE(T)                                                                        \
    template void set_identity(Stream&, MatrixView<T>);                                          \
    template void set_zero(Stream&, MatrixView<T>);                                              \
    template void zero_above_diagonal(Stream&, MatrixView<T>);                                   \
    template void copy_matrix(Stream&, MatrixView<const T>, MatrixView<T>);                      \
    template void permute_columns(Stream&, MatrixView<const T>, View<const int>, MatrixView<T>); \
    template void scale_columns(Stream&, MatrixView<T>, View<const T>);                          \
    template void transpose_matrix(Stream&, MatrixView<const T>, MatrixView<T>);                 \
    template void scale_rows(Stream&, MatrixView<const T>, View<const Complex<T>>,               \
                             MatrixView<Complex<T>>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE
#define TL_INSTANTIATE_COMPLEX(T)                                           \
    template void set_identity(Stream&, MatrixView<T>);                     \
    template void set_zero(Stream&, MatrixView<T>);                         \
    template void zero_above_diagonal(Stream&, MatrixView<T>);              \
    template void copy_matrix(Stream&, MatrixView<const T>, MatrixView<T>); \
    template void scale_columns(Stream&, MatrixView<T>, View<const T>);     \
    template void transpose_matrix(Stream&, MatrixView<const T>, MatrixView<T>);
TL_INSTANTIATE_COMPLEX(Complex<float>)
TL_INSTANTIATE_COMPLEX(Complex<double>)
#undef TL_INSTANTIATE_COMPLEX

TL_DEVICE_END
