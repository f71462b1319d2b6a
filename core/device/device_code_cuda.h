// Whether this program holds kernels that a GPU can run.
#pragma once

namespace tl {

/// Whether kernels were compiled for the current CUDA device.
[[nodiscard]] bool has_code_for_current_device();

}  // namespace tl
