// SVD modes by which others are made, or that have a file of their own. The table of all modes is
// in svd_solvers.cpp.
#pragma once

#include "solvers/svd/svd.h"

namespace tl {

/// Bidiagonalisation, then divide and conquer: the fast mode.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_divide_conquer();
/// The largest triplets from a random sample of the range (Halko, Martinsson & Tropp 2011).
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_randomised();
/// OpenBLAS's routines, for comparison.
[[nodiscard]] std::unique_ptr<SvdSolver> make_lapack_gesdd();
[[nodiscard]] std::unique_ptr<SvdSolver> make_lapack_gesvd();
/// cuSOLVER's routines, for comparison; in CUDA builds only.
[[nodiscard]] std::unique_ptr<SvdSolver> make_cusolver_gesvd();
[[nodiscard]] std::unique_ptr<SvdSolver> make_cusolver_gesvdj();
[[nodiscard]] std::unique_ptr<SvdSolver> make_cusolver_gesvdp();

}  // namespace tl
