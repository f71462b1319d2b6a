#include "solvers/complex/complex_kernels.h"

#include "core/device/parallel_for.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

template <class T>
void real_form(Stream& stream, MatrixView<const Complex<T>> from, MatrixView<T> to) {
    for_elements(
        stream, "real form", from.rows, from.cols, TL_LAMBDA(int i, int j) {
            Complex<T> x = from(i, j);
            to(i, j) = to(from.rows + i, from.cols + j) = x.re;
            to(from.rows + i, j) = x.im;
            to(i, from.cols + j) = -x.im;
        });
}

template <class T>
void stack_parts(Stream& stream, MatrixView<const Complex<T>> from, MatrixView<T> to) {
    for_elements(
        stream, "stack parts", from.rows, from.cols, TL_LAMBDA(int i, int j) {
            to(i, j) = from(i, j).re;
            to(from.rows + i, j) = from(i, j).im;
        });
}

template <class T>
void join_parts(Stream& stream, MatrixView<const T> re, MatrixView<const T> im,
                MatrixView<Complex<T>> to) {
    for_elements(
        stream, "join parts", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = Complex<T>(re(i, j), im(i, j)); });
}

template <class T>
void exchange_rows(Stream& stream, MatrixView<Complex<T>> a, View<const int> swaps, int first,
                   int width) {
    auto n = static_cast<std::uint32_t>(a.cols - width);
    parallel_for(
        stream, "exchange rows", n, TL_LAMBDA(std::uint32_t c) {
            int j = static_cast<int>(c);
            if (j >= first) j += width;
            Complex<T>* column = a.col(j);
            for (int k = first; k < first + width; ++k) {
                int row = swaps[static_cast<std::size_t>(k)];
                Complex<T> x = column[k];
                column[k] = column[row];
                column[row] = x;
            }
        });
}

#define TL_INSTANTIATE(T)                                                            \
    template void real_form(Stream&, MatrixView<const Complex<T>>, MatrixView<T>);   \
    template void stack_parts(Stream&, MatrixView<const Complex<T>>, MatrixView<T>); \
    template void join_parts(Stream&, MatrixView<const T>, MatrixView<const T>,      \
                             MatrixView<Complex<T>>);                                \
    template void exchange_rows(Stream&, MatrixView<Complex<T>>, View<const int>, int, int);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
