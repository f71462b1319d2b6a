// Cuts large slanting triangles into several references before a tree is built.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// References over smaller boxes: `budget` (above 0) more than there are boxes, for every box, and
    /// as many are in the returned input, in scratch memory of the caller's scope. The first ones are
    /// those of `input`, in order, the first pieces of cut triangles among them. Those that no piece
    /// needed have boxes that are not valid; header.n_padding is set to their number. Primitives that
    /// are not triangles stay whole. Runs on the scratch's stream, without waiting.
    BuildInput presplit(Scratch& scratch, const BuildInput& input, float budget,
                        View<TreeHeader> header);
)
// clang-format on
