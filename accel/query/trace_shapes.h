// Traces rays through trees of shapes of any layout. Included by closest_hits.cu and occluded.cu.
#pragma once

#include "accel/bvh/traversal/instance_tracer.h"
#include "accel/bvh/traversal/trace_queue.h"
#include "accel/bvh/traversal/tracer.h"
#include "accel/query/shape_hits.h"

TL_DEVICE_BEGIN

/// Number of rays below which one thread per ray is faster than a queue, which costs a second
/// launch. Coherent rays never gain: no lane waits long for the others of its warp.
inline constexpr std::uint32_t kLeastQueuedRays = 1u << 14;

template <bool kAnyHit, class Tracer, class Sink>
void trace_shapes_with(Scratch& scratch, const char* name, const Tracer& tracer,
                       const StridedRays& rays, const Sink& sink) {
    RaysToTrace<StridedRaySource, Sink> list{{rays}, sink, rays.count};
    if (rays.is_coherent || rays.count < kLeastQueuedRays)
        trace_each<kAnyHit>(scratch.stream(), name, tracer, list);
    else
        trace_queue<kAnyHit>(scratch, name, tracer, list);
}

template <bool kAnyHit, bool kRobust, class Sink>
void trace_layout(Scratch& scratch, const char* name, const TreeView& tree, const StridedRays& rays,
                  const Sink& sink) {
    const PlainTests<kRobust> tests;
    auto trace = [&](const auto& tracer) {
        trace_shapes_with<kAnyHit>(scratch, name, tracer, rays, sink);
    };
    if (tree.instances)
        return trace(InstanceTracer<kRobust, PlainTests<kRobust>>{tree.bvh2, tree.primitives,
                                                                  tree.instances, tests});
    if (tree.layout == TreeLayout::bvh4)
        return trace(tracer_of_layout<TreeLayout::bvh4, kRobust>(tree, tests));
#if !defined(__CUDACC__)
    if (tree.layout == TreeLayout::simd8)
        return trace(tracer_of_layout<TreeLayout::simd8, kRobust>(tree, tests));
#endif
    trace(tracer_of_layout<TreeLayout::bvh2, kRobust>(tree, tests));
}

/// Traces the rays, none of which has a mask.
template <bool kAnyHit, class Sink>
void trace_shapes(Scratch& scratch, const char* name, const RayTree& tree, const StridedRays& rays,
                  const Sink& sink) {
    const TreeView& view = tree.shapes.tree;
    if (tree.shapes.kind == ShapeKind::boxes)
        trace_shapes_with<kAnyHit>(
            scratch, name, Bvh2Tracer<true, BoxTests>{{view.bvh2}, view.primitives}, rays, sink);
    else if (view.robust)
        trace_layout<kAnyHit, true>(scratch, name, view, rays, sink);
    else
        trace_layout<kAnyHit, false>(scratch, name, view, rays, sink);
}

TL_DEVICE_END
