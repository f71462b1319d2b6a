// A tracer of trees of every layout, for kernels that trace rays between other work: they are
// compiled once and not for every layout. A ray costs a function call more than with the layout's
// own tracer. Kernels that do little else than trace use visit_tracer
// (accel/bvh/traversal/tracer.h) or leave their rays to trace_closest and trace_any
// (accel/bvh/traversal/trace_rays.h).
#pragma once

#include "accel/bvh/traversal/tracer.h"

TL_DEVICE_BEGIN

/// The nearest hit of a ray or, with `any`, one of which only found() is right. `kPatches`: whether
/// the tree has patches. On the CPU compiled in any_tracer_cpu.cpp alone.
template <bool kPatches>
TL_D Hit trace_any_layout(const TreeView& tree, const Ray& ray, bool any);
/// The same, counting nodes and primitives on the way.
template <bool kPatches>
TL_D Hit count_any_layout(const TreeView& tree, const Ray& ray, bool any, RayStats& stats);

/// A tracer (accel/bvh/traversal/tracer.h).
template <bool kWithPatches>
struct AnyTracer {
    static constexpr bool kPatches = kWithPatches;
    TreeView tree;

    TL_D Hit closest(const Ray& ray, NoStats = {}) const { return closest_or_any(ray, false); }
    TL_D bool occluded(const Ray& ray, NoStats = {}) const {
        return closest_or_any(ray, true).found();
    }
    TL_D Hit closest(const Ray& ray, RayStats& stats) const {
        return count_any_layout<kPatches>(tree, ray, false, stats);
    }
    TL_D bool occluded(const Ray& ray, RayStats& stats) const {
        return count_any_layout<kPatches>(tree, ray, true, stats).found();
    }
    TL_D Hit closest_or_any(const Ray& ray, bool any) const {
        return trace_any_layout<kPatches>(tree, ray, any);
    }
};

/// Calls visitor(tracer) with an AnyTracer. The visitor launches the kernel.
template <class Visitor>
void visit_any_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.patches.empty())
        visitor(AnyTracer<false>{tree});
    else
        visitor(AnyTracer<true>{tree});
}

/// visit_tracer for kernels that are worth compiling for more than AnyTracer: where the layout is
/// one that is chosen automatically, the tracer of that layout, else an AnyTracer.
template <class Visitor>
void visit_default_tracer(const TreeView& tree, Visitor&& visitor) {
#if defined(__CUDACC__)
    constexpr TreeLayout kDefault = TreeLayout::bvh2;
    bool is_default = tree.layout != TreeLayout::bvh4 && tree.layout != TreeLayout::cwbvh;
#else
    constexpr TreeLayout kDefault = TreeLayout::simd8;
    bool is_default = tree.layout == TreeLayout::simd8;
#endif
    if (!tree.patches.empty()) {
        if (is_default && !tree.instances)
            return visitor(tracer_of_layout<kDefault, true>(tree, PatchTests{tree.patches}));
        return visitor(AnyTracer<true>{tree});
    }
    if (tree.robust) return visitor(AnyTracer<false>{tree});
    PlainTests<false> tests;
    if (tree.instances)
        return visitor(InstanceTracer<false, PlainTests<false>>{tree.bvh2, tree.primitives,
                                                                tree.instances, tests});
    if (is_default) return visitor(tracer_of_layout<kDefault, false>(tree, tests));
#if defined(__CUDACC__)
    if (tree.layout == TreeLayout::bvh4)
        return visitor(tracer_of_layout<TreeLayout::bvh4, false>(tree, tests));
#endif
    visitor(AnyTracer<false>{tree});
}

TL_DEVICE_END

#if defined(__CUDACC__)
#include "accel/bvh/traversal/any_tracer_functions.h"
#else
namespace tl::cpu {
extern template Hit trace_any_layout<false>(const TreeView&, const Ray&, bool);
extern template Hit trace_any_layout<true>(const TreeView&, const Ray&, bool);
extern template Hit count_any_layout<false>(const TreeView&, const Ray&, bool, RayStats&);
extern template Hit count_any_layout<true>(const TreeView&, const Ray&, bool, RayStats&);
}  // namespace tl::cpu
#endif
