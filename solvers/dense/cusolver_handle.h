// A cuSOLVER handle with its parameters, for PooledHandle.
#pragma once

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
inline constexpr cudaDataType kCudaType = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;

}  // namespace tl
