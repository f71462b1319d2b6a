// SAH kd-trees: cells do not overlap; a primitive cut by a plane is referenced on both sides.
#pragma once

#include <memory>

#include "accel/parallel/macros.h"
#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// The kd-tree builder of this device. Its cells do not overlap, so a ray that visits them
    /// front to back can stop at the first one with a hit.
    std::unique_ptr<TreeBuilder> make_kd_sah_builder();
)
// clang-format on
