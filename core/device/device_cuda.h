// The CUDA devices, created on first use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device/device.h"

namespace tl {

/// The CUDA GPUs that this program has kernels for (CUDA_VISIBLE_DEVICES chooses); if there are
/// none, with the reason in `absence`.
[[nodiscard]] std::vector<Device*> cuda_devices(std::string& absence);

/// Makes a Stream of a caller's own cudaStream_t, which is not destroyed with it; null is CUDA's
/// default stream.
[[nodiscard]] std::unique_ptr<Stream> borrow_stream(Device& gpu, void* native);
/// Makes a borrowed stream represent another one from now on. The caller orders their work.
void rebind_stream(Stream& borrowed, void* native);
/// Waits for all work of a GPU, in any stream.
void synchronize_gpu(const Device& gpu);

/// Number of the GPU whose memory a pointer names; -1 for memory of the host.
[[nodiscard]] int gpu_of_memory(const void* pointer);

/// Lets each GPU copy from and to the memory of the others, as link_devices() does.
void link_gpus(const std::vector<Device*>& gpus);

}  // namespace tl
