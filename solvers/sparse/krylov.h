// Krylov methods for sparse systems A x = b: preconditioned conjugate gradients (Hestenes & Stiefel
// 1952) for symmetric positive definite matrices, and BiCGSTAB (van der Vorst 1992), with the
// preconditioner at the right, for others. Both restart from the recomputed residual where that
// of the recurrence has drifted from it, or where BiCGSTAB breaks down.
#pragma once

#include "solvers/solver.h"
#include "solvers/sparse/krylov_kernels.h"
#include "solvers/sparse/preconditioner.h"
#include "solvers/sparse/sparse_matrix.h"

namespace tl {

enum class KrylovMethod {
    automatic,  ///< cg for symmetric matrices of positive diagonal, else bicgstab
    cg,
    bicgstab,
};
[[nodiscard]] constexpr auto names_of(KrylovMethod) {
    return std::to_array<EnumName<KrylovMethod>>({{KrylovMethod::automatic, "auto"},
                                                  {KrylovMethod::cg, "cg"},
                                                  {KrylovMethod::bicgstab, "bicgstab"}});
}

/// When an iteration ends.
struct KrylovLimits {
    double tolerance = 1e-8;  ///< largest norm of the residual over that of b
    int most_iterations = 10000;
};

/// Outcome of an iteration.
struct KrylovResult {
    KrylovOutcome outcome = KrylovOutcome::running;
    /// Whether rounding keeps the residual from the tolerance.
    bool stagnated = false;
    int iterations = 0;
    double curvature = 0;  ///< p^T A p of the last direction of conjugate gradients
};

/// A system on one device.
template <class T>
struct KrylovSystem {
    const SparseMatrix<T>& a;
    Preconditioner<T>* preconditioner = nullptr;  ///< null for none
    View<const T> b;
};

/// Device memory of the vectors of a method for n unknowns of `size` bytes.
[[nodiscard]] std::uint64_t krylov_bytes(KrylovMethod method, int n, std::size_t size);

/// Iterates from the given x, by cg or bicgstab. Reports progress to `run` and throws Cancelled
/// as it has it. Sums are in double, in the same order in every run.
template <class T>
[[nodiscard]] KrylovResult iterate_krylov(Stream& stream, KrylovMethod method,
                                          const KrylovSystem<T>& system, const KrylovLimits& limits,
                                          View<T> x, SolverRun& run);

}  // namespace tl
