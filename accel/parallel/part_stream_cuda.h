// CUDA streams whose kernels run on a part of a GPU's multiprocessors.
#pragma once

#include <cuda_runtime.h>

#include <optional>

namespace tl {

/// A stream, to be destroyed by whoever asked for it, and how many its kernels may run on.
struct PartStream {
    cudaStream_t native = nullptr;
    int multiprocessors = 0;
};

/// A stream of the given priority on about `share` of the device's multiprocessors. It takes
/// launches, copies, events, memory of any pool, and cuBLAS and cuSOLVER like every other, with the
/// device's primary context current. Nothing where the share is 1, or the driver or the GPU cannot
/// part them.
[[nodiscard]] std::optional<PartStream> create_part_stream(int device, float share, int priority);

}  // namespace tl
