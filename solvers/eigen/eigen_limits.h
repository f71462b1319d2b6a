// Results requested from the eigenvalue kernels, and their limits. Includes nothing: the source of
// kernels that are compiled on first use begins with it (solvers/minimal/solver_kernel.h).
#pragma once

namespace tl {

/// Requested results: eigenvalues alone, eigenvalues with the vectors of the real ones, or all
/// vectors.
enum class EigenPairs { values, real, all };

/// Settings of a solver that its kernels use.
struct EigenLimits {
    int sweeps = 30;      ///< QR sweeps for each row before a matrix counts as not converged
    bool balance = true;  ///< rows and columns are scaled by powers of two first
};

}  // namespace tl
