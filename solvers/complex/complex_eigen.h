// Eigenvalues and eigenvectors of batches of complex matrices, on both devices.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/dense/complex.h"
#include "solvers/eigen/eigen_check.h"

namespace tl {

/// `count` matrices of n x n in device memory, one after the other, each row by row.
template <class T>
struct ComplexEigenBatch {
    View<const Complex<T>> a;
    int n = 0;
    std::size_t count = 0;
};

/// The modes: "qr", and "auto", which is the same; on the CPU also "lapack" (geev).
[[nodiscard]] std::vector<std::string> complex_eigen_modes(DeviceKind device);

/// Solves the batch on the stream's device by Hessenberg forms and the QR algorithm with single
/// shifts (Golub & Van Loan, chapter 7; LAPACK's lahqr), a block of threads for each matrix.
/// `limits.balance` switches balancing on. The result is as that of real matrices,
/// eigenvalues in the order of the Schur form's diagonal; a matrix that is not finite or does not
/// converge has that status. Throws UsageError for an unknown mode and for EigenPairs::real,
/// UserError unless n is from 1 to EigenSolver::kMostRows, or if memory is insufficient, and
/// Cancelled.
template <class T>
[[nodiscard]] EigenResult<T> solve_complex_eigen(Stream& stream, const ComplexEigenBatch<T>& batch,
                                                 EigenPairs pairs, const std::string& mode,
                                                 const EigenLimits& limits, SolverRun& run);

/// Measures those of the matrices `a` that were solved; the result has as many. The errors are
/// those of the real matrices [Re A, -Im A; Im A, Re A], whose eigenvalues are those of A and their
/// conjugates.
template <class T>
[[nodiscard]] EigenAccuracy measure_eigen(std::span<const Complex<T>> a,
                                          const HostEigen<T>& result);

}  // namespace tl
