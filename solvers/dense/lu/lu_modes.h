// The modes of the PLU factorisation.
#pragma once

#include "solvers/dense/lu/lu.h"
#include "solvers/dense/lu/lu_blocked.h"

namespace tl {

/// The settings of mode `blocked`, bound to `blocks`.
[[nodiscard]] Settings settings_of(LuBlocks& blocks);

/// Blocked with partial pivoting and look-ahead: the fast mode.
[[nodiscard]] std::unique_ptr<LuSolver> make_lu_blocked();
/// The same for a GPU.
[[nodiscard]] std::unique_ptr<LuSolver> make_lu_blocked_cuda();
/// The same, of floats whose products may be rounded to TF32: for refinement.
[[nodiscard]] std::unique_ptr<LuSolver> make_lu_tf32();
/// Blocked with pivots by pairs of rows (Brodtkorb 2007).
[[nodiscard]] std::unique_ptr<LuSolver> make_lu_pairs();
/// The same with the geometric mean of a pair's pivots in place of the harmonic one.
[[nodiscard]] std::unique_ptr<LuSolver> make_lu_geometric_pairs();
/// Complete pivoting: exchanges of rows and columns.
[[nodiscard]] std::unique_ptr<LuSolver> make_lu_complete();
[[nodiscard]] std::unique_ptr<LuSolver> make_lapack_getrf();
/// In CUDA builds only:
[[nodiscard]] std::unique_ptr<LuSolver> make_cusolver_getrf();

}  // namespace tl
