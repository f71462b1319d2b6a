// The binned SAH builder of Embree as one more tree builder: the peer in the same menu. Only in
// builds that found libembree.
#pragma once

#include <memory>

#include "accel/tree_builder.h"

namespace tl {

[[nodiscard]] std::unique_ptr<TreeBuilder> make_embree_builder();

}  // namespace tl
