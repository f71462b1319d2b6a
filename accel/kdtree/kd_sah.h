// SAH kd-trees: cells that do not overlap, with the primitives that they cut on both sides.
#pragma once

#include <memory>

#include "accel/parallel/macros.h"
#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// The kd-tree builder of this device. Its cells do not overlap, so a ray that meets them front
    /// to back stops at the first with a hit.
    std::unique_ptr<TreeBuilder> make_kd_sah_builder();
)
// clang-format on
