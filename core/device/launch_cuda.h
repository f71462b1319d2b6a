// Kernel launches other than those of parallel_for.h and block.h.
#pragma once

#include <climits>

#include "core/base/macros.h"
#include "core/device/cuda_check.h"
#include "core/device/device.h"

namespace tl::cuda {

/// The number of blocks that have `n` threads in total, but at most `most`, for kernels that loop.
inline unsigned blocks_for(std::size_t n, std::size_t block_size, std::size_t most = UINT_MAX) {
    std::size_t n_blocks = (n + block_size - 1) / block_size;
    return static_cast<unsigned>(n_blocks < most ? n_blocks : most);
}

/// Launches a kernel and reports a launch error under its name.
template <class... Parameters, class... Arguments>
void launch(Stream& stream, const char* name, unsigned n_blocks, unsigned block_size,
            void (*kernel)(Parameters...), Arguments... arguments) {
    kernel<<<n_blocks, block_size, 0, static_cast<cudaStream_t>(stream.native())>>>(arguments...);
    TL_CUDA_CHECK_LAUNCH(name);
}

}  // namespace tl::cuda
