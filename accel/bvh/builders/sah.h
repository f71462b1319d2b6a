// SAH BVHs: every split is chosen by the surface-area heuristic, among sampled planes near the
// root, and among all places between primitives further down.
#pragma once

#include <memory>

#include "accel/parallel/macros.h"
#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// The SAH builder of this device.
    std::unique_ptr<TreeBuilder> make_sah_builder();
    /// The builder of SAH subtrees below the top of a linear BVH.
    std::unique_ptr<TreeBuilder> make_hybrid_sah_builder();
)
// clang-format on
