// What the largest triplets of a decomposition make up: the best approximation of their rank
// (Eckart & Young 1936), and the share of the matrix's energy that it keeps.
#pragma once

#include "solvers/svd/svd.h"

namespace tl {

/// The sum of the `rank` first of values^2 over that of all of them, 1 where all are zero.
/// `rank` is 0 to values.size().
[[nodiscard]] double energy_kept(const std::vector<double>& values, int rank);

/// U diag(values) V^T of the `rank` first triplets, 0 to as many as there are values. The result
/// must have vectors and lie on the BLAS's device.
template <class T>
[[nodiscard]] Matrix<T> low_rank(Blas& blas, const SvdResult<T>& result, int rank);

}  // namespace tl
