// Small kernels on complex matrices on one device, called by TL_DISPATCH; input and output views
// must not overlap.
#pragma once

#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

TL_FOR_DEVICES(
    // The real matrix [Re A, -Im A; Im A, Re A] of twice the extents, which multiplies [Re x; Im x]
    // as A multiplies x.
    template <class T>
    void real_form(Stream& stream, MatrixView<const Complex<T>> from, MatrixView<T> to);
    // The real matrix [Re A; Im A] of twice the rows.
    template <class T>
    void stack_parts(Stream& stream, MatrixView<const Complex<T>> from, MatrixView<T> to);
    // to = re + i im.
    template <class T> void join_parts(Stream& stream, MatrixView<const T> re,
                                       MatrixView<const T> im, MatrixView<Complex<T>> to);
    // Exchanges rows first + k and swaps[first + k], for k from 0 to width - 1 in this order. The
    // columns [first, first + width) stay: their rows have been exchanged.
    template <class T> void exchange_rows(Stream& stream, MatrixView<Complex<T>> a,
                                          View<const int> swaps, int first, int width);)
