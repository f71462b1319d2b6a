#include "solvers/dense/blas.h"

#include "solvers/dense/blas_cpu.h"
#if defined(TL_HAS_CUDA)
#include "solvers/dense/blas_cuda.h"
#endif

namespace tl {

std::unique_ptr<Blas> make_blas(Stream& stream) {
#if defined(TL_HAS_CUDA)
    if (stream.device().kind() == DeviceKind::cuda) return make_cuda_blas(stream);
#endif
    return make_cpu_blas(stream);
}

}  // namespace tl
