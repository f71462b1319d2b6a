// The SVD of a dense matrix in stages: scale; transpose what is wide; QR first where it is tall;
// bidiagonalise; SVD of the bidiagonal, by a method that is handed in; and the reflectors applied
// to its vectors, block by block.
#pragma once

#include <limits>

#include "solvers/svd/bidiagonalise.h"
#include "solvers/svd/svd.h"

namespace tl {

/// What the stages can be told.
struct SvdDenseConfig {
    int block = 32;         ///< columns of a panel of the bidiagonalisation, 1 to 64
    float qr_ratio = 1.5f;  ///< QR comes first where rows / cols is at least this
    /// Columns of the largest matrix whose values alone come from QR sweeps on the host, which cost
    /// O(n^2); of larger ones they come from the method that is handed in, vectors and all.
    int most_values_by_qr = std::numeric_limits<int>::max();
};

/// Diagonalises a bidiagonal: d and e at most about 1 (e as long as d), u and v n x n. Returns the
/// sorted values, or nothing where progress stopped it.
template <class T>
using BidiagonalSvd =
    std::function<std::vector<double>(Blas& blas, std::vector<double> d, std::vector<double> e,
                                      MatrixView<T> u, MatrixView<T> v, const Progress& progress)>;

template <class T>
[[nodiscard]] SvdResult<T> svd_dense(Stream& stream, MatrixView<const T> a,
                                     const SvdRequest& request, const SvdDenseConfig& config,
                                     const BidiagonalSvd<T>& diagonalise, SolverRun& run);

/// Bytes that svd_dense takes, with `extra_squares` n x n matrices for the bidiagonal's method.
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
