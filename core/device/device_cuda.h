// The CUDA devices, created on first use.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.h"

namespace tl {

/// The CUDA GPUs that this program has kernels for (CUDA_VISIBLE_DEVICES chooses); if there are
/// none, with the reason in `absence`.
[[nodiscard]] std::vector<Device*> cuda_devices(std::string& absence);

/// Lets each GPU copy from and to the memory of the others, as link_devices() does.
void link_gpus(const std::vector<Device*>& gpus);

}  // namespace tl
