// BLAS on the CPU device.
#pragma once

#include "solvers/dense/blas.h"

namespace tl {

[[nodiscard]] std::unique_ptr<Blas> make_cpu_blas(Stream& stream);

/// From now on, in the whole process, BLAS and LAPACK work in the thread that calls them and in no
/// other: for programs that solve in the background.
void keep_blas_to_its_thread();

}  // namespace tl
