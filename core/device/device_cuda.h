// The CUDA device, created on first use.
#pragma once

#include <string>

#include "core/device/device.h"

namespace tl {

/// The first CUDA GPU (CUDA_VISIBLE_DEVICES chooses), or nullptr with the reason in `absence`.
[[nodiscard]] Device* cuda_device(std::string& absence);

}  // namespace tl
