// Selection of the tracer for a tree of any layout. A kernel is written once, as a template over a
// tracer; visit_tracer selects the tracer for the tree. Each such kernel is compiled a dozen times,
// so most kernels should use trace_rays.h or any_tracer.h instead.
//
// A tracer has two member functions, both with an optional statistics argument:
//   Hit  closest(const Ray&, Stats&)   the closest hit
//   bool occluded(const Ray&, Stats&)  whether the ray hits anything
#pragma once

#include "accel/bvh/traversal/bvh4_nodes.h"
#include "accel/bvh/traversal/instance_tracer.h"
#include "accel/bvh/traversal/skip_tracer.h"
#include "accel/patch/patch_tests.h"
#include "accel/tree.h"
#if !defined(__CUDACC__)
#include "accel/bvh/traversal/bvh8_tracer.h"
#endif

TL_DEVICE_BEGIN

/// Returns the tracer for a layout known at compile time, without instances.
template <TreeLayout kLayout, bool kRobust, class Tests>
TL_HD auto tracer_of_layout(const TreeView& tree, const Tests& tests) {
    if constexpr (kLayout == TreeLayout::skip) {
        return SkipTracer<kRobust, Tests>{tree.skip, tree.primitives, tests};
    } else if constexpr (kLayout == TreeLayout::bvh4) {
        return Bvh4Tracer<kRobust, Tests>{{tree.bvh4}, tree.primitives, tests};
#if !defined(__CUDACC__)
    } else if constexpr (kLayout == TreeLayout::simd8) {
        return Bvh8Tracer<kRobust, Tests>{tree.bvh8, tree.primitives, tests};
#endif
    } else {
        return Bvh2Tracer<kRobust, Tests>{{tree.bvh2}, tree.primitives, tests};
    }
}

/// visit_tracer for one kind of slab test and of primitives. Callable on the host or the device, as
/// the visitor is.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <bool kRobust, class Tests, class Visitor>
TL_HD decltype(auto) visit_tracer_of_layout(const TreeView& tree, const Tests& tests,
                                            Visitor&& visitor) {
    if (tree.instances)
        return visitor(
            InstanceTracer<kRobust, Tests>{tree.bvh2, tree.primitives, tree.instances, tests});
    switch (tree.layout) {
        case TreeLayout::skip:
            return visitor(tracer_of_layout<TreeLayout::skip, kRobust>(tree, tests));
        case TreeLayout::bvh4:
            return visitor(tracer_of_layout<TreeLayout::bvh4, kRobust>(tree, tests));
#if !defined(__CUDACC__)
        case TreeLayout::simd8:
            return visitor(tracer_of_layout<TreeLayout::simd8, kRobust>(tree, tests));
#endif
        default:
            return visitor(tracer_of_layout<TreeLayout::bvh2, kRobust>(tree, tests));
    }
}

/// visit_tracer for trees known to have patches, or known to have none. Boxes of patches are always
/// tested robustly, so that no patch is missed.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <bool kPatches, class Visitor>
TL_HD decltype(auto) visit_tracer_with(const TreeView& tree, Visitor&& visitor) {
    if constexpr (kPatches) {
        return visit_tracer_of_layout<true>(tree, PatchTests{tree.patches}, visitor);
    } else {
        if (tree.robust) return visit_tracer_of_layout<true>(tree, PlainTests<true>{}, visitor);
        return visit_tracer_of_layout<false>(tree, PlainTests<false>{}, visitor);
    }
}

/// Calls visitor(tracer) with the tracer of the tree's layout; the visitor launches the kernel.
/// Trees without instances or patches get a tracer that does not support them.
template <class Visitor>
void visit_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.patches.empty())
        visit_tracer_with<false>(tree, visitor);
    else
        visit_tracer_with<true>(tree, visitor);
}

TL_DEVICE_END
