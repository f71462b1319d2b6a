// The best approximation of given rank, from the largest triplets of a decomposition (Eckart &
// Young 1936), and the fraction of the matrix's energy that it keeps.
#pragma once

#include "solvers/svd/svd.h"

namespace tl {

/// The sum of the first `rank` squared values over the sum of all, or 1 if all are zero. `rank` is
/// 0 to values.size().
[[nodiscard]] double energy_kept(const std::vector<double>& values, int rank);

/// U diag(values) V^T of the first `rank` triplets; `rank` is 0 to the number of values. The result
/// must have vectors and lie on the BLAS's device.
template <class T>
[[nodiscard]] Matrix<T> low_rank(Blas& blas, const SvdResult<T>& result, int rank);

}  // namespace tl
