// The CPU device, made at its first use.
#pragma once

#include "accel/parallel/device.h"

namespace tl {

[[nodiscard]] Device& cpu_device();

}  // namespace tl
