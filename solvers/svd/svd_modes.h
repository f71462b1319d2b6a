// Treelight's own modes of singular value decomposition.
#pragma once

#include "solvers/svd/svd.h"

namespace tl {

/// Bidiagonalisation, then divide and conquer: the fast mode.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_divide_conquer();
/// Bidiagonalisation, then divide and conquer, for a GPU. Values alone are also computed by divide
/// and conquer, except for small matrices, which use QR on the host.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_divide_conquer_cuda();
/// Bidiagonalisation, then implicit QR sweeps (Golub & Reinsch 1970; Lahabar 2010, chapter 3).
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_golub_reinsch();
/// The largest triplets from a random sample of the range (Halko, Martinsson & Tropp 2011).
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_randomised();
/// Chooses the mode by matrix size and requested rank.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_auto();
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_auto_cuda();

}  // namespace tl
