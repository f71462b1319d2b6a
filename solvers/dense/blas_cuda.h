// BLAS on the CUDA device.
#pragma once

#include "solvers/dense/blas.h"

namespace tl {

[[nodiscard]] std::unique_ptr<Blas> make_cuda_blas(Stream& stream);

}  // namespace tl
