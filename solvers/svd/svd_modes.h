// Our own ways to a singular value decomposition.
#pragma once

#include "solvers/svd/svd.h"

namespace tl {

/// Bidiagonalisation, then divide and conquer: the fast mode.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_divide_conquer();
/// Bidiagonalisation, then implicit QR sweeps (Golub & Reinsch 1970; Lahabar 2010, chapter 3).
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_golub_reinsch();
/// The largest triplets from a random sample of the range (Halko, Martinsson & Tropp 2011).
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_randomised();
/// The mode that suits the size and the rank asked for.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_auto();

}  // namespace tl
