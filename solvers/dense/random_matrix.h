// Matrices whose elements are functions of their indices and a seed: identical on both devices and
// for any number of threads.
#pragma once

#include <cstdint>

#include "solvers/dense/matrix.h"

namespace tl {

/// Matrices that are defined element by element.
enum class ElementKind {
    uniform,     ///< independent, uniform in [-1, 1)
    bell,        ///< independent, mean 0: sums of four uniform numbers
    graded,      ///< uniform, row i scaled by condition^(-i / (rows - 1))
    hilbert,     ///< 1 / (i + j + 1)
    kahan,       ///< s^i on the diagonal, -c s^i above it, s = sin 1.2, c = cos 1.2
    bidiagonal,  ///< uniform on the diagonal and the one above it
    toeplitz     ///< 1 / (1 + |i - j|)
};

}  // namespace tl

TL_FOR_DEVICES(
    // Sets the columns of a matrix from `first_column` on.
    template <class T> void fill_elements(Stream& stream, ElementKind kind, double condition,
                                          std::uint64_t seed, MatrixView<T> a,
                                          int first_column = 0);)
