// Reduces a matrix to upper bidiagonal form, A = Q B P^T, by Householder reflectors. The trailing
// matrix is updated once per panel by one gemm (Dongarra, Sorensen & Hammarling 1989; Lahabar 2010,
// algorithm 2). Each column needs four launches, which read the trailing matrix twice; the device
// never waits for the host.
#pragma once

#include <functional>

#include "core/device/array.h"
#include "solvers/dense/blas.h"

namespace tl {

/// Reports the progress: columns done, of all. Returning false stops the reduction.
using Progress = std::function<bool(int done, int total)>;

}  // namespace tl

// Bidiagonalises A, m x n with m >= n and elements of at most about 1. A becomes Q's reflectors,
// one per column: zeros above them, or a column of zeros for the identity. `p`, n x n, becomes P's
// reflectors. `d` (n) and `e` (n; e[n-1] = 0) become B's diagonals. `block`: columns of a panel.
// Returns false if `progress` stopped it.
TL_FOR_DEVICES(template <class T> bool bidiagonalise(Blas& blas, MatrixView<T> a, MatrixView<T> p,
                                                     View<T> d, View<T> e, int block,
                                                     const Progress& progress);)
