// SVD of an upper bidiagonal matrix by divide and conquer (Gu & Eisenstat 1995): solves halves and
// joins them by one row. Each join is a secular equation, whose roots are found in parallel; its
// vectors use entries of z recomputed from the roots, which keeps them orthogonal. The host plans
// each level (sorting and deflation, O(n)); the device computes roots, vectors and products.
#pragma once

#include <vector>

#include "solvers/dense/blas.h"
#include "solvers/svd/bidiagonalise.h"

namespace tl {

/// Problems up to this size are solved by QR sweeps on the host.
inline constexpr int kLeafSize = 32;

/// d (n) and e (n, the last unused) are B's diagonals, of magnitude up to about 1; u and v (n x n)
/// become the singular vectors: B = U diag(values) V^T with descending values. Returns the values,
/// or none if `progress` stopped it. Accuracy is T's, although values are doubles.
template <class T>
[[nodiscard]] std::vector<double> divide_and_conquer(Blas& blas, std::vector<double> d,
                                                     std::vector<double> e, MatrixView<T> u,
                                                     MatrixView<T> v, const Progress& progress);

}  // namespace tl
