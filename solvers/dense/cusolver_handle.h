// A cuSOLVER handle with its parameters, for PooledHandle.
#pragma once

#include "solvers/dense/complex.h"
#include "solvers/dense/cusolver_check.h"
#include "solvers/dense/handle_pool.h"

namespace tl {

struct CusolverHandle {
    cusolverDnHandle_t dense = nullptr;
    cusolverDnParams_t params = nullptr;

    static CusolverHandle make() {
        CusolverHandle handle;
        check_cusolver(late::cusolverDnCreate(&handle.dense), "cusolverDnCreate");
        check_cusolver(late::cusolverDnCreateParams(&handle.params), "cusolverDnCreateParams");
        return handle;
    }
    void use(Stream& stream) const {
        check_cusolver(late::cusolverDnSetStream(dense, static_cast<cudaStream_t>(stream.native())),
                       "cusolverDnSetStream");
    }
};

/// CUDA's name of the type of an element.
template <class T>
inline constexpr cudaDataType kCudaType = std::is_same_v<T, double>            ? CUDA_R_64F
                                          : std::is_same_v<T, float>           ? CUDA_R_32F
                                          : std::is_same_v<T, Complex<double>> ? CUDA_C_64F
                                                                               : CUDA_C_32F;

}  // namespace tl
