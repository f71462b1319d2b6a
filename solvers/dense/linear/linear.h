// Systems of linear equations A X = B with square dense matrices, and the table of modes:
// Treelight's own, and those of libraries for comparison.
#pragma once

#include <memory>

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

/// A solution on the stream's device.
template <class T>
struct LinearSolution {
    Matrix<T> x;
    int steps = 0;                  ///< refinement steps
    std::string note;               ///< note for the user: "solved in double, since ..."
    std::vector<StageTime> stages;  ///< milliseconds; the last row is the total
    std::string mode;               ///< the mode that solved it
};

class LinearSolver : public Solver {
  public:
    /// Solves A X = B; neither is modified. Throws UserError if A is singular, sizes do not fit, an
    /// element of A, B or the solution is not finite, or memory is insufficient. Throws
    /// Cancelled.
    [[nodiscard]] virtual LinearSolution<float> solve(Stream& stream, MatrixView<const float> a,
                                                      MatrixView<const float> b,
                                                      SolverRun& run) = 0;
    [[nodiscard]] virtual LinearSolution<double> solve(Stream& stream, MatrixView<const double> a,
                                                       MatrixView<const double> b,
                                                       SolverRun& run) = 0;
};

/// A row of the table of modes; a function is null if the mode does not run on that device.
struct LinearRow {
    std::string id;     ///< for flags and files: "lu"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence
    bool peer;          ///< a library's mode, for comparison
    std::unique_ptr<LinearSolver> (*make_cpu)();
    std::unique_ptr<LinearSolver> (*make_cuda)();
};

[[nodiscard]] const std::vector<LinearRow>& linear_solvers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError if the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<LinearSolver> make_linear_solver(const std::string& id,
                                                               const Device& device);

/// Backward error: the largest of ||B - A X|| / (||A|| ||X|| + ||B||) over the columns, in
/// infinity-norms. It is about the smallest change of A and B for which X is exact. NaN if an
/// element is not finite; nothing else over- or underflows.
template <class T>
[[nodiscard]] double backward_error(Blas& blas, MatrixView<const T> a, MatrixView<const T> x,
                                    MatrixView<const T> b);

}  // namespace tl
