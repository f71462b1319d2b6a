#include "solvers/dense/lu/lu_kernels.h"

#include <cmath>

#include "solvers/dense/complex.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

template <class T>
void unpack_lower(Stream& stream, MatrixView<const T> lu, MatrixView<T> l) {
    for_elements(
        stream, "unpack L", l.rows, l.cols, TL_LAMBDA(int i, int j) {
            l(i, j) = i > j ? lu(i, j) : i == j ? T(1) : T(0);
        });
}
template <class T>
void unpack_upper(Stream& stream, MatrixView<const T> lu, MatrixView<T> u) {
    for_elements(
        stream, "unpack U", u.rows, u.cols,
        TL_LAMBDA(int i, int j) { u(i, j) = i <= j ? lu(i, j) : T(0); });
}
template <class T>
void gather_rows(Stream& stream, MatrixView<const T> from, View<const int> order,
                 MatrixView<T> to) {
    for_elements(
        stream, "gather rows", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = from(order[i], j); });
}
template <class T>
void scatter_rows(Stream& stream, MatrixView<const T> from, View<const int> order,
                  MatrixView<T> to) {
    for_elements(
        stream, "scatter rows", from.rows, from.cols,
        TL_LAMBDA(int i, int j) { to(order[i], j) = from(i, j); });
}
void narrow_matrix(Stream& stream, MatrixView<const double> from, int exponent,
                   MatrixView<float> to) {
    // In two steps, since one power may be out of range.
    double first = std::ldexp(1.0, exponent / 2), second = std::ldexp(1.0, exponent - exponent / 2);
    for_elements(
        stream, "narrow matrix", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = static_cast<float>(from(i, j) * first * second); });
}
void narrow_columns(Stream& stream, MatrixView<const double> from, View<const double> scales,
                    MatrixView<float> to) {
    for_elements(
        stream, "narrow columns", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = static_cast<float>(from(i, j) * scales[j]); });
}
void add_columns(Stream& stream, MatrixView<const float> from, View<const double> scales,
                 MatrixView<double> to) {
    for_elements(
        stream, "add columns", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) += static_cast<double>(from(i, j)) / scales[j]; });
}

#define TL_INSTANTIATE(T)                                                                    \
    template void unpack_lower(Stream&, MatrixView<const T>, MatrixView<T>);                 \
    template void unpack_upper(Stream&, MatrixView<const T>, MatrixView<T>);                 \
    template void gather_rows(Stream&, MatrixView<const T>, View<const int>, MatrixView<T>); \
    template void scatter_rows(Stream&, MatrixView<const T>, View<const int>, MatrixView<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
TL_INSTANTIATE(Complex<float>)
TL_INSTANTIATE(Complex<double>)
#undef TL_INSTANTIATE

TL_DEVICE_END
