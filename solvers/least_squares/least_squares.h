// Least squares min ||A X - B|| with dense matrices of any shape and rank, the numerical rank and
// the pseudo-inverse, and the table of modes: Treelight's own, and LAPACK's for comparison.
#pragma once

#include <memory>

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

/// A solution, or a pseudo-inverse, on the stream's device.
template <class T>
struct LeastSquares {
    Matrix<T> x;                 ///< of all minimisers the one of least norm, column by column
    int rank = 0;                ///< singular values that count as not zero
    double rcond = 0;            ///< ratio to the largest value up to which a value counts as zero
    std::vector<double> values;  ///< singular values, descending; empty where none were computed
    std::string note;            ///< note for the user: "by the SVD, since ..."
    std::vector<StageTime> stages;  ///< milliseconds; the last row is the total
    std::string mode;               ///< the mode that solved it
};

class LeastSquaresSolver : public Solver {
  public:
    /// Solves min ||A X - B||; neither is modified. Singular values up to `rcond` times the largest
    /// count as zero; below 0: max(rows, columns) eps. Throws UserError if sizes do not fit, an
    /// element of A, B or the solution is not finite, or memory is insufficient. Throws Cancelled.
    [[nodiscard]] virtual LeastSquares<float> solve(Stream& stream, MatrixView<const float> a,
                                                    MatrixView<const float> b, double rcond,
                                                    SolverRun& run) = 0;
    [[nodiscard]] virtual LeastSquares<double> solve(Stream& stream, MatrixView<const double> a,
                                                     MatrixView<const double> b, double rcond,
                                                     SolverRun& run) = 0;
};

/// A row of the table of modes; a function is null if the mode does not run on that device.
struct LeastSquaresRow {
    std::string id;     ///< for flags and files: "qr"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence
    bool peer;          ///< a library's mode, for comparison
    std::unique_ptr<LeastSquaresSolver> (*make_cpu)();
    std::unique_ptr<LeastSquaresSolver> (*make_cuda)();
};

[[nodiscard]] const std::vector<LeastSquaresRow>& least_squares_solvers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError if the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<LeastSquaresSolver> make_least_squares_solver(const std::string& id,
                                                                            const Device& device);

/// The pseudo-inverse of A (Moore-Penrose), columns x rows, by its singular value decomposition.
/// `rcond` and errors as for systems.
template <class T>
[[nodiscard]] LeastSquares<T> pseudo_inverse(Stream& stream, MatrixView<const T> a, double rcond,
                                             SolverRun& run);

/// Returns the requested ratio of singular values, or the default one of a matrix of this size.
template <class T>
[[nodiscard]] double rcond_of(int rows, int cols, double asked);
/// How many of the values, which descend, are above `rcond` times the first.
[[nodiscard]] int numerical_rank(const std::vector<double>& values, double rcond);

/// ||A^T (B - A X)|| over ||A|| (||A|| ||X|| + ||B||), in Frobenius norms: about eps for a
/// minimiser.
template <class T>
[[nodiscard]] double gradient_error(Blas& blas, MatrixView<const T> a, MatrixView<const T> x,
                                    MatrixView<const T> b);

}  // namespace tl
