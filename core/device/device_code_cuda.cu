#include "core/device/device_code_cuda.h"

#include <cuda_runtime.h>

namespace tl {
namespace {

__global__ void probe() {}

}  // namespace

bool has_code_for_current_device() {
    cudaFuncAttributes attributes{};
    bool found = cudaFuncGetAttributes(&attributes, probe) == cudaSuccess;
    cudaGetLastError();  // clear the error
    return found;
}

}  // namespace tl
