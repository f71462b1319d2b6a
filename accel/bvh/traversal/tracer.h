// Rays against a tree of whatever layout: a kernel is written once, as a template over a tracer,
// and visit_tracer picks the one that fits the tree.
//
// A tracer has two members, both with an optional statistics argument:
//   Hit  closest(const Ray&, Stats&)   the nearest hit
//   bool occluded(const Ray&, Stats&)  whether anything lies on the ray
#pragma once

#include "accel/bvh/traversal/bvh4_nodes.h"
#include "accel/bvh/traversal/cwbvh_tracer.h"
#include "accel/bvh/traversal/instance_tracer.h"
#include "accel/patch/patch_tests.h"
#include "accel/tree.h"
#if !defined(__CUDACC__)
#include "accel/bvh/traversal/bvh8_tracer.h"
#endif

TL_DEVICE_BEGIN

/// visit_tracer for one kind of slab test and of primitives.
template <bool kRobust, class Tests, class Visitor>
void visit_tracer_of_layout(const TreeView& tree, const Tests& tests, Visitor&& visitor) {
    if (tree.instances)
        return visitor(
            InstanceTracer<kRobust, Tests>{tree.bvh2, tree.primitives, tree.instances, tests});
    switch (tree.layout) {
        case TreeLayout::bvh4:
            return visitor(Bvh4Tracer<kRobust, Tests>{{tree.bvh4}, tree.primitives, tests});
        case TreeLayout::cwbvh:
            return visitor(CwbvhTracer<kRobust, Tests>{tree.cwbvh, tree.primitives, tests});
#if !defined(__CUDACC__)
        case TreeLayout::simd8:
            return visitor(Bvh8Tracer<kRobust, Tests>{tree.bvh8, tree.primitives, tests});
#endif
        default:
            return visitor(Bvh2Tracer<kRobust, Tests>{{tree.bvh2}, tree.primitives, tests});
    }
}

/// Calls visitor(tracer) with the tracer of the tree's layout. The visitor launches the kernel.
/// Trees without instances or patches keep the tracer that knows none. Boxes of patches are always
/// tested robustly: a patch is never missed.
template <class Visitor>
void visit_tracer(const TreeView& tree, Visitor&& visitor) {
    if (!tree.patches.empty())
        visit_tracer_of_layout<true>(tree, PatchTests{tree.patches}, visitor);
    else if (tree.robust)
        visit_tracer_of_layout<true>(tree, PlainTests<true>{}, visitor);
    else
        visit_tracer_of_layout<false>(tree, PlainTests<false>{}, visitor);
}

TL_DEVICE_END
