// The SVD of a dense matrix in stages: scale; transpose a wide matrix; QR of a tall one;
// bidiagonalise; SVD of the bidiagonal matrix, by a method given as argument; and apply the
// reflectors to its vectors, block by block. The bidiagonal matrix of a complex one is made real
// (bidiagonal_phases.h), and its vectors are real until the last stage.
#pragma once

#include <limits>

#include "solvers/svd/bidiagonalise.h"
#include "solvers/svd/svd.h"

namespace tl {

/// Parameters of the stages.
struct SvdDenseConfig {
    int block = 32;         ///< columns of a panel of the bidiagonalisation, 1 to 64
    float qr_ratio = 1.5f;  ///< QR first if rows / cols is at least this
    /// For values alone: columns of the largest matrix solved by QR sweeps on the host, which cost
    /// O(n^2). Larger ones are solved by the given method, which also computes the vectors.
    int most_values_by_qr = std::numeric_limits<int>::max();
};

/// Diagonalises a real bidiagonal matrix: d and e are at most about 1 (e as long as d), u and v n x
/// n. Returns the sorted values, or none if `progress` stopped it.
template <class T>
using BidiagonalSvd =
    std::function<std::vector<double>(Blas& blas, std::vector<double> d, std::vector<double> e,
                                      MatrixView<T> u, MatrixView<T> v, const Progress& progress)>;

template <class T>
[[nodiscard]] SvdResult<T> svd_dense(Stream& stream, MatrixView<const T> a,
                                     const SvdRequest& request, const SvdDenseConfig& config,
                                     const BidiagonalSvd<RealOf<T>>& diagonalise, SolverRun& run);

/// Bytes that svd_dense needs, with `extra_squares` n x n matrices for the bidiagonal's method. For
/// complex matrices these are as large as the method's real matrices and vectors together.
[[nodiscard]] std::uint64_t svd_dense_bytes(int rows, int cols, const SvdRequest& request,
                                            const SvdDenseConfig& config, int extra_squares,
                                            std::size_t element_size);

/// Values alone, by QR sweeps on the host.
[[nodiscard]] std::vector<double> bidiagonal_values(std::vector<double> d, std::vector<double> e,
                                                    double epsilon, const Progress& progress);

/// Singular values and vectors by QR sweeps: the host finds the rotations, the device applies them.
template <class T>
[[nodiscard]] std::vector<double> bidiagonal_by_sweeps(Blas& blas, std::vector<double> d,
                                                       std::vector<double> e, MatrixView<T> u,
                                                       MatrixView<T> v, const Progress& progress);

}  // namespace tl
