// Checks of CUDA calls. An error is thrown as UserError with the call, the source line and CUDA's
// message, or printed where throwing is not allowed.
#pragma once

#include <cuda_runtime.h>

namespace tl {

[[noreturn]] void throw_cuda_error(cudaError_t error, const char* what, const char* file, int line);
void print_cuda_error(cudaError_t error, const char* what, const char* file, int line) noexcept;

}  // namespace tl

#define TL_CUDA_CHECK(call)                                                                       \
    do {                                                                                          \
        cudaError_t tl_error = (call);                                                            \
        if (tl_error != cudaSuccess) ::tl::throw_cuda_error(tl_error, #call, __FILE__, __LINE__); \
    } while (0)

/// To follow a kernel launch: reports a launch error under the kernel's name.
#define TL_CUDA_CHECK_LAUNCH(name)                                                               \
    do {                                                                                         \
        cudaError_t tl_error = cudaPeekAtLastError();                                            \
        if (tl_error != cudaSuccess) ::tl::throw_cuda_error(tl_error, name, __FILE__, __LINE__); \
    } while (0)

/// For destructors: prints an error and continues.
#define TL_CUDA_CHECK_PRINT(call)                                                                 \
    do {                                                                                          \
        cudaError_t tl_error = (call);                                                            \
        if (tl_error != cudaSuccess) ::tl::print_cuda_error(tl_error, #call, __FILE__, __LINE__); \
    } while (0)
