// Linear BVH: primitives are sorted along a Morton curve, and their codes give the hierarchy.
#pragma once

#include <memory>

#include "accel/parallel/macros.h"
#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// The LBVH builder of this device; one primitive per leaf.
    std::unique_ptr<TreeBuilder> make_lbvh_builder();
)
// clang-format on
