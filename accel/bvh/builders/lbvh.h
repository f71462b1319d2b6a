// Linear BVH: primitives sorted along a Morton curve, the hierarchy read off their codes.
#pragma once

#include <memory>

#include "accel/parallel/macros.h"
#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// The LBVH builder of this device; one primitive to a leaf.
    std::unique_ptr<TreeBuilder> make_lbvh_builder();
)
// clang-format on
