// The CUDA device, created on first use.
#pragma once

#include <string>

#include "accel/parallel/device.h"

namespace tl {

/// The first CUDA GPU (CUDA_VISIBLE_DEVICES chooses), or nullptr with the reason in `absence`.
[[nodiscard]] Device* cuda_device(std::string& absence);
/// Creates a stream of the CUDA device with the lowest priority, limited to a share of its
/// multiprocessors where the driver can partition them.
[[nodiscard]] std::unique_ptr<Stream> create_background_cuda_stream(Device& device,
                                                                    float gpu_share);

}  // namespace tl
