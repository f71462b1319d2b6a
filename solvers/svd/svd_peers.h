// SVD modes that call libraries, for comparison.
#pragma once

#include "solvers/svd/svd.h"

namespace tl {

[[nodiscard]] std::unique_ptr<SvdSolver> make_lapack_gesdd();
[[nodiscard]] std::unique_ptr<SvdSolver> make_lapack_gesvd();
/// In CUDA builds only:
[[nodiscard]] std::unique_ptr<SvdSolver> make_cusolver_gesvd();
[[nodiscard]] std::unique_ptr<SvdSolver> make_cusolver_gesvdj();
[[nodiscard]] std::unique_ptr<SvdSolver> make_cusolver_gesvdp();

}  // namespace tl
