// The CUDA devices, created on first use.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.h"

namespace tl {

/// The CUDA GPUs that this program has kernels for (CUDA_VISIBLE_DEVICES chooses); if there are
/// none, with the reason in `absence`.
[[nodiscard]] std::vector<Device*> cuda_devices(std::string& absence);

}  // namespace tl
