// Triangle pre-splitting: splits large slanting triangles into several references before a tree is
// built (Karras & Aila 2013).
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// Returns references over smaller boxes, in scratch memory of the caller's scope. The returned
    /// input always has `budget` (above 0) more references per box. Its first references are those
    /// of `input`, in order; for cut triangles they hold the first piece. References that no piece
    /// needs have invalid boxes; their number is added to header.n_padding. Primitives that are not
    /// triangles stay whole. Runs on the stream of `scratch` without waiting.
    BuildInput presplit(Scratch& scratch, const BuildInput& input, float budget,
                        View<TreeHeader> header);
)
// clang-format on
