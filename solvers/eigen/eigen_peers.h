// Modes that call libraries, for comparison.
#pragma once

#include "solvers/eigen/eigen.h"

namespace tl {

/// Libraries have no vectors of real eigenvalues alone: all are computed, and those kept.
[[nodiscard]] std::unique_ptr<EigenSolver> make_lapack_geev();
[[nodiscard]] std::unique_ptr<EigenSolver> make_cusolver_geev();
/// Null if the program was built without Eigen.
extern std::unique_ptr<EigenSolver> (*const make_eigen_library)();

}  // namespace tl
