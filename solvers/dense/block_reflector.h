// Products of many Householder reflectors applied block by block, Q = I - V T V^H (compact WY;
// Schreiber & Van Loan 1989), in three gemms a block. T is not accumulated: its inverse is the
// upper triangle of V^H V with half the diagonal (Puglisi 1992), which needs no tau and keeps Q as
// orthogonal as V^H V is exact. Numbers are float, double or complex ones of these.
#pragma once

#include "solvers/dense/blas.h"

TL_FOR_DEVICES(
    // C = Q C (no) or Q^H C (yes), Q = H_1 H_2 ..., whose reflectors are the columns of V: zero
    // above their first elements, or entirely zero for the identity. V and C have as many rows.
    // `block` reflectors form a block.
    template <class T> void apply_reflectors(Blas& blas, Transpose op, MatrixView<const T> v,
                                             MatrixView<T> c, int block);
    // A, m x n with m >= n and elements of at most about 1, becomes reflectors as above; R is
    // stored in the upper triangle of `r` (n x n), and the rest of `r` becomes zero.
    template <class T> void qr_factorise(Blas& blas, MatrixView<T> a, MatrixView<T> r);
    // Replaces the columns of such an A by an orthonormal basis of their span.
    template <class T> void orthonormalise(Blas& blas, MatrixView<T> a);)
