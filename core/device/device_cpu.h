// The CPU device, created on first use.
#pragma once

#include "core/device/device.h"

namespace tl {

[[nodiscard]] Device& cpu_device();

}  // namespace tl
