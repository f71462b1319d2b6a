// BLAS on the CPU device.
#pragma once

#include "solvers/dense/blas.h"

namespace tl {

[[nodiscard]] std::unique_ptr<Blas> make_cpu_blas(Stream& stream);

/// Makes BLAS and LAPACK run only in the calling thread from now on, in the whole process: for
/// programs that solve in the background.
void keep_blas_to_its_thread();

}  // namespace tl
