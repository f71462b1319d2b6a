// BLAS on the CPU device.
#pragma once

#include "solvers/dense/blas.h"

namespace tl {

[[nodiscard]] std::unique_ptr<Blas> make_cpu_blas(Stream& stream);

}  // namespace tl
