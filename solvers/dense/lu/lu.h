// PLU factorisations A[p] = L U of dense matrices with row exchanges, or A[p][:, q] = L U where
// columns are exchanged too, and the table of modes: Treelight's own, and those of libraries for
// comparison.
#pragma once

#include <memory>

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

/// The factors of an m x n matrix on the stream's device, k = min(m, n).
template <class T>
struct LuFactors {
    Matrix<T> lu;  ///< U (k x n) on and above the diagonal, L (m x k) below it, whose diagonal is 1
    std::vector<int> swaps;         ///< row k was exchanged with row swaps[k], for k = 0, 1, ...
    std::vector<int> column_swaps;  ///< likewise columns; empty for modes that leave them
    std::vector<StageTime> stages;  ///< milliseconds; the last row is the total
    std::string mode;               ///< the mode that factorised it
};

class LuSolver : public Solver {
  public:
    /// Factorises `a`, which is not modified. Singular matrices have factors too. Throws UserError
    /// if an element is not finite or memory is insufficient, and Cancelled.
    [[nodiscard]] virtual LuFactors<float> factorise(Stream& stream, MatrixView<const float> a,
                                                     SolverRun& run) = 0;
    [[nodiscard]] virtual LuFactors<double> factorise(Stream& stream, MatrixView<const double> a,
                                                      SolverRun& run) = 0;
};

/// Advice in the error message if a dense problem does not fit into memory.
inline constexpr const char* kDenseMemoryAdvice =
    "ask for a smaller matrix, or for float instead of double";

/// A row of the table of modes; a function is null if the mode does not run on that device.
struct LuRow {
    std::string id;     ///< for flags and files: "blocked"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence with the source
    bool peer;          ///< a library's mode, for comparison
    std::unique_ptr<LuSolver> (*make_cpu)();
    std::unique_ptr<LuSolver> (*make_cuda)();
};

[[nodiscard]] const std::vector<LuRow>& lu_solvers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError if the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<LuSolver> make_lu_solver(const std::string& id, const Device& device);

}  // namespace tl
