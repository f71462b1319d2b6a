// Rays against a tree of whatever layout: a kernel is written once, as a template over a tracer,
// and visit_tracer picks the one that fits the tree.
//
// A tracer has two members, both with an optional statistics argument:
//   Hit  closest(const Ray&, Stats&)   the nearest hit
//   bool occluded(const Ray&, Stats&)  whether anything lies on the ray
#pragma once

#include "accel/bvh/bvh4_nodes.h"
#include "accel/bvh/cwbvh_tracer.h"
#include "accel/bvh/instance_tracer.h"
#include "accel/tree.h"
#if !defined(__CUDACC__)
#include "accel/bvh/bvh8_tracer.h"
#endif

TL_DEVICE_BEGIN

/// visit_tracer for one kind of slab test.
template <bool kRobust, class Visitor>
void visit_tracer_of_layout(const TreeView& tree, Visitor&& visitor) {
    if (tree.instances)
        return visitor(InstanceTracer<kRobust>{tree.bvh2, tree.primitives, tree.instances});
    switch (tree.layout) {
        case TreeLayout::bvh4:
            return visitor(Bvh4Tracer<kRobust>{{tree.bvh4}, tree.primitives});
        case TreeLayout::cwbvh:
            return visitor(CwbvhTracer<kRobust>{tree.cwbvh, tree.primitives});
#if !defined(__CUDACC__)
        case TreeLayout::simd8:
            return visitor(Bvh8Tracer<kRobust>{tree.bvh8, tree.primitives});
#endif
        default:
            return visitor(Bvh2Tracer<kRobust>{{tree.bvh2}, tree.primitives});
    }
}

/// Calls visitor(tracer) with the tracer of the tree's layout. The visitor launches the kernel.
/// Trees without instances keep the tracer that knows none.
template <class Visitor>
void visit_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.robust)
        visit_tracer_of_layout<true>(tree, visitor);
    else
        visit_tracer_of_layout<false>(tree, visitor);
}

TL_DEVICE_END
