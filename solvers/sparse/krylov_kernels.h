// The vector operations of Krylov methods, each one launch with its sums, and one that finishes
// them. Scalars stay on the device, so the host need not wait in each iteration: once an iteration
// has ended with an outcome, further ones change nothing.
#pragma once

#include "core/device/array.h"

namespace tl {

/// State of an iteration.
enum class KrylovOutcome : int {
    running,
    converged,       ///< the recurrence's residual is at most the limit
    exhausted,       ///< the most iterations have run
    not_definite,    ///< p^T A p <= 0
    preconditioner,  ///< r^T M r <= 0
    breakdown,       ///< an inner product of BiCGSTAB has vanished
    not_finite,      ///< a sum is infinite or NaN
};

/// The scalars of an iteration, in device memory; names are those of the methods' papers.
struct KrylovScalars {
    double rr = 0;     ///< squared norm of the residual
    double limit = 0;  ///< of rr
    double rz = 0, curvature = 0;
    double rho = 0, shadow_norm = 0, omega = 0;  ///< BiCGSTAB
    double alpha = 0, beta = 0;
    int iterations = 0, most = 0;
    KrylovOutcome outcome = KrylovOutcome::running;
    int unused = 0;
};
static_assert(sizeof(KrylovScalars) == 88);

/// Rows of a block, and with it the number of partial sums.
inline constexpr int kKrylovRows = 2048;
inline constexpr int kKrylovSums = 2;  ///< sums that a launch may have

/// Stream of the operations, and their scalars.
struct KrylovRun {
    Stream& stream;
    KrylovScalars* scalars;
    double* partial;  ///< kKrylovSums for each block
    int n;            ///< elements of vectors
};

/// Vectors of conjugate gradients.
template <class T>
struct CgVectors {
    T *x, *r, *p, *q;
    const T* z;  ///< M r; r itself without a preconditioner
};
/// Vectors of BiCGSTAB; s shares the memory of r.
template <class T>
struct BicgstabVectors {
    T *x, *r, *shadow, *p, *v, *t;
    const T *p_hat, *s_hat;  ///< M p and M s; p and r themselves without a preconditioner
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // rr of the residual r, and whether it has converged.
    template <class T> void measure_residual(const KrylovRun& run, const T* r);
    // rz = r^T z; beta, and p = z + beta p.
    template <class T> void cg_direction(const KrylovRun& run, const CgVectors<T>& v);
    // Computes alpha, the new x and r, and rr, for q = A p.
    template <class T> void cg_step(const KrylovRun& run, const CgVectors<T>& v);
    // The shadow residual and p become r.
    template <class T> void bicgstab_start(const KrylovRun& run, const BicgstabVectors<T>& v);
    // Computes alpha and s = r - alpha v, which r becomes, for v = A p_hat.
    template <class T> void bicgstab_half(const KrylovRun& run, const BicgstabVectors<T>& v);
    // Computes omega, the new x, r, rr, beta and p, for t = A s_hat.
    template <class T> void bicgstab_step(const KrylovRun& run, const BicgstabVectors<T>& v);
)
// clang-format on
