// The best approximation of given rank, from the largest triplets of a decomposition (Eckart &
// Young 1936), and the fraction of the matrix's energy that it keeps.
#pragma once

#include "solvers/svd/svd.h"

namespace tl {

/// The sum of the first `rank` squared values over the sum of all, or 1 if all are zero. `rank` is
/// 0 to values.size().
[[nodiscard]] double energy_kept(const std::vector<double>& values, int rank);

/// ||A - A_k|| / ||A|| in Frobenius norms, A_k the nearest matrix of that rank to one with these
/// values; 0 if all are zero.
[[nodiscard]] double error_of_rank(const std::vector<double>& values, int rank);

/// U diag(values) V^T of the first `rank` triplets; `rank` is 0 to the number of values. The result
/// must have vectors and lie on the BLAS's device.
template <class T>
[[nodiscard]] Matrix<T> low_rank(Blas& blas, const SvdResult<T>& result, int rank);

/// The nearest matrix of at most a rank, in Frobenius and 2-norm.
template <class T>
struct NearestOfRank {
    Matrix<T> matrix;
    double error = 0;  ///< see error_of_rank()
};
/// `rank` is 0 to the smaller extent. Throws what SvdSolver::solve throws.
template <class T>
[[nodiscard]] NearestOfRank<T> best_of_rank(Stream& stream, MatrixView<const T> a, int rank,
                                            SolverRun& run);

}  // namespace tl
