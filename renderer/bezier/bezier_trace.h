// Traces rays through a scene's tree; a chosen method intersects the pieces of patches.
#pragma once

#include "accel/patch/method_tests.h"
#include "accel/tree.h"
#include "core/device/array.h"

// clang-format off
TL_FOR_DEVICES(
    /// Sets hits[i] of rays[i] by the certified method: the closest hit, or with `any` any hit,
    /// where only found() is valid.
    void trace_certified(Scratch& scratch, const TreeView& tree, View<const Ray> rays,
                         View<Hit> hits, bool any);
    /// trace_certified with another method, or without patches.
    void trace_by_method(Scratch& scratch, const TreeView& tree, PieceMethod method,
                         View<const Ray> rays, View<Hit> hits, bool any);
    /// Sets the closest hits by any method, in one pass, and each ray's work.
    void trace_counted(Scratch& scratch, const TreeView& tree, PieceMethod method,
                       View<const Ray> rays, View<Hit> hits, View<SearchCounts> work);
)
// clang-format on
