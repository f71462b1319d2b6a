// SAH BVHs: every split chosen by the surface-area heuristic, near the root among sampled planes,
// below among all places between primitives.
#pragma once

#include <memory>

#include "accel/parallel/macros.h"
#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// The SAH builder of this device.
    std::unique_ptr<TreeBuilder> make_sah_builder();
    /// The top of a linear BVH with SAH subtrees below.
    std::unique_ptr<TreeBuilder> make_hybrid_sah_builder();
)
// clang-format on
