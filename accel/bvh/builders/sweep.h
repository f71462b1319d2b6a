// Full-sweep SAH on the host: the quality reference for the other builders' trees.
#pragma once

#include <memory>

#include "accel/tree_builder.h"

namespace tl {

/// Takes seconds for millions of boxes, and waits for the device.
[[nodiscard]] std::unique_ptr<TreeBuilder> make_sweep_builder();

}  // namespace tl
