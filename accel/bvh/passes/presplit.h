// Splits large slanting triangles into several references before a tree is built.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// Returns references over smaller boxes, in scratch memory of the caller's scope: `budget`
    /// (above 0) more per box, all of which are in the returned input. The first ones are those of
    /// `input`, in order; for cut triangles they hold the first piece. References that no piece
    /// needs have invalid boxes; header.n_padding is set to their number. Primitives that are not
    /// triangles stay whole. Runs on the scratch's stream, without waiting.
    BuildInput presplit(Scratch& scratch, const BuildInput& input, float budget,
                        View<TreeHeader> header);
)
// clang-format on
