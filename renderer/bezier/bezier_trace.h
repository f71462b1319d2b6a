// Rays against a scene's tree, whose pieces of patches are met by the method asked for.
#pragma once

#include "accel/parallel/array.h"
#include "accel/patch/method_tests.h"
#include "accel/tree.h"

// clang-format off
TL_FOR_DEVICES(
    /// hits[i] of rays[i]: the nearest, or with `any` one of which only found() is right. Patches
    /// by the certified method.
    void trace_certified(Scratch& scratch, const TreeView& tree, View<const Ray> rays,
                         View<Hit> hits, bool any);
    /// The same by another method, or without patches.
    void trace_by_method(Scratch& scratch, const TreeView& tree, PieceMethod method,
                         View<const Ray> rays, View<Hit> hits, bool any);
    /// The nearest hits by any method, in one pass, and what each ray took.
    void trace_counted(Scratch& scratch, const TreeView& tree, PieceMethod method,
                       View<const Ray> rays, View<Hit> hits, View<SearchCounts> work);
)
// clang-format on
