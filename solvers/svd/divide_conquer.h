// SVD of an upper bidiagonal matrix by divide and conquer (Gu & Eisenstat 1995): halves are solved,
// joined by one row, and the joined problem is a secular equation whose roots are found in parallel
// and whose vectors come from entries of z that are worked out anew from the roots, which keeps
// them orthogonal. The host plans each level (sorting and deflation, O(n)); the device finds roots
// and vectors and multiplies.
#pragma once

#include <vector>

#include "solvers/dense/blas.h"
#include "solvers/svd/bidiagonalise.h"

namespace tl {

/// Problems up to this size are solved by QR sweeps on the host.
inline constexpr int kLeafSize = 32;

/// d (n) and e (n, the last unused) of B, at most about 1 in size; u and v (n x n) become the
/// singular vectors, B = U diag(values) V^T with values sorted downwards. Returns the values, or
/// nothing where `progress` stopped it. Accuracy is T's, though values are doubles.
template <class T>
[[nodiscard]] std::vector<double> divide_and_conquer(Blas& blas, std::vector<double> d,
                                                     std::vector<double> e, MatrixView<T> u,
                                                     MatrixView<T> v, const Progress& progress);

}  // namespace tl
