// The binned SAH builder of Embree as a tree builder, for comparison. Only in builds that found
// libembree.
#pragma once

#include <memory>

#include "accel/tree_builder.h"

namespace tl {

[[nodiscard]] std::unique_ptr<TreeBuilder> make_embree_builder();

}  // namespace tl
