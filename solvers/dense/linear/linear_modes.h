// The modes of linear systems.
#pragma once

#include "solvers/dense/linear/linear.h"

namespace tl {

/// A PLU factorisation in the matrix's own precision.
[[nodiscard]] std::unique_ptr<LinearSolver> make_linear_lu();
/// Mixed-precision refinement: factors in float and residuals in double, until the backward error
/// is that of a factorisation in double. Where that does not succeed, solves in double.
[[nodiscard]] std::unique_ptr<LinearSolver> make_linear_refined();
/// Mixed-precision refinement with products in TF32.
[[nodiscard]] std::unique_ptr<LinearSolver> make_linear_refined_tf32();
[[nodiscard]] std::unique_ptr<LinearSolver> make_lapack_gesv();
/// In CUDA builds only:
[[nodiscard]] std::unique_ptr<LinearSolver> make_cusolver_getrs();
[[nodiscard]] std::unique_ptr<LinearSolver> make_cusolver_irs();

}  // namespace tl
