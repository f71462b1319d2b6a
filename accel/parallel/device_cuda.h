// The CUDA device, made at its first use.
#pragma once

#include <string>

#include "accel/parallel/device.h"

namespace tl {

/// The first CUDA GPU (CUDA_VISIBLE_DEVICES chooses), or nullptr with the reason in `absence`.
[[nodiscard]] Device* cuda_device(std::string& absence);
/// A stream of the CUDA device with the least priority, on a share of its multiprocessors where the
/// driver can part them.
[[nodiscard]] std::unique_ptr<Stream> create_background_cuda_stream(Device& device,
                                                                    float gpu_share);

}  // namespace tl
