// CUDA streams whose kernels run on a part of a GPU's multiprocessors.
#pragma once

#include <cuda_runtime.h>

#include <optional>

namespace tl {

/// A stream, to be destroyed by the caller, and the number of multiprocessors its kernels may use.
struct PartStream {
    cudaStream_t native = nullptr;
    int multiprocessors = 0;
};

/// Creates a stream of the given priority on about the fraction `share` of the device's
/// multiprocessors. Like any other stream it takes launches, copies, events, memory of any pool,
/// cuBLAS and cuSOLVER, with the device's primary context current. Empty if the fraction is 1 or
/// the driver or the GPU cannot partition the multiprocessors.
[[nodiscard]] std::optional<PartStream> create_part_stream(int device, float share, int priority);

}  // namespace tl
