// Modes that are libraries', for comparison.
#pragma once

#include "solvers/eigen/eigen.h"

namespace tl {

/// LAPACK's geev. It has no vectors of real eigenvalues alone: all are computed, and those kept.
[[nodiscard]] std::unique_ptr<EigenSolver> make_lapack_geev();

}  // namespace tl
