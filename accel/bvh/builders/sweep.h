// Full-sweep SAH on the host: the reference that the trees of the other builders are compared with.
#pragma once

#include <memory>

#include "accel/tree_builder.h"

namespace tl {

/// Takes seconds for millions of boxes, and waits.
[[nodiscard]] std::unique_ptr<TreeBuilder> make_sweep_builder();

}  // namespace tl
