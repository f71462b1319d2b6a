// Accuracy of eigenpairs, measured on the host.
#pragma once

#include <span>

#include "solvers/eigen/eigen.h"

namespace tl {

/// Results of a batch in host memory.
template <class T>
struct HostEigen {
    int n = 0;
    std::size_t count = 0;
    EigenPairs pairs = EigenPairs::all;
    std::vector<T> values, vectors;
    std::vector<int> sweeps, status;
};
/// Waits for the stream.
template <class T>
[[nodiscard]] HostEigen<T> downloaded(Stream& stream, const EigenResult<T>& result);

/// Errors that are NaN count as the largest.
struct EigenAccuracy {
    double residual = 0;  ///< largest ||A v - lambda v|| / (||A|| eps n), in 2- and Frobenius norms
    /// Largest residual of B = D^-1 A D and w = D^-1 v, for powers of two D that make rows and
    /// columns of B about the same size. Large where elements small relative to ||A|| were lost.
    double balanced = 0;
    double length = 0;  ///< largest | ||v|| - 1 |
    double trace = 0;   ///< largest |sum of eigenvalues - trace| / (||B|| eps n)
    /// Largest |product of eigenvalues - determinant|, over the largest change of the determinant
    /// by a change of B by ||B|| eps n. Only for up to kMostRowsOfDeterminant rows.
    double determinant = 0;
    std::size_t n_vectors = 0;  ///< number of measured vectors

    static constexpr int kMostRowsOfDeterminant = 64;
    /// Balanced residuals and errors of the trace from here on mean that elements were lost.
    static constexpr double kLost = 1e4;

    /// Keeps the larger of each pair of errors.
    void add(const EigenAccuracy& more);
    [[nodiscard]] bool lost_elements() const { return !(balanced < kLost && trace < kLost); }
};
/// Measures the solved matrices of `a`, which has as many as the result.
template <class T>
[[nodiscard]] EigenAccuracy measure_eigen(std::span<const T> a, const HostEigen<T>& result);

}  // namespace tl
