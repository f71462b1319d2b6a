// A tracer for trees of every layout, for kernels that trace rays between other work: they are
// compiled once instead of once per layout. Each ray costs a function call more than with the
// layout's own tracer. Kernels that mostly trace should use visit_tracer
// (accel/bvh/traversal/tracer.h) or leave their rays to trace_closest and trace_any
// (accel/bvh/traversal/trace_rays.h).
#pragma once

#include "accel/bvh/traversal/tracer.h"

TL_DEVICE_BEGIN

/// The closest hit of a ray or, with `any`, any hit, of which only found() is valid. `kPatches`:
/// whether the tree has patches. On the CPU compiled in any_tracer_cpu.cpp only.
template <bool kPatches>
TL_D Hit trace_any_layout(const TreeView& tree, const Ray& ray, bool any);
/// The same, with kAnyHit in place of `any`; counts the nodes and primitives that are tested.
template <bool kPatches, bool kAnyHit>
TL_D Hit count_any_layout(const TreeView& tree, const Ray& ray, RayStats& stats);

/// A tracer, as accel/bvh/traversal/tracer.h defines it, for every layout.
template <bool kWithPatches>
struct AnyTracer {
    static constexpr bool kPatches = kWithPatches;
    TreeView tree;

    TL_D Hit closest(const Ray& ray, NoStats = {}) const { return closest_or_any(ray, false); }
    TL_D bool occluded(const Ray& ray, NoStats = {}) const {
        return closest_or_any(ray, true).found();
    }
    TL_D Hit closest(const Ray& ray, RayStats& stats) const {
        return count_any_layout<kPatches, false>(tree, ray, stats);
    }
    TL_D bool occluded(const Ray& ray, RayStats& stats) const {
        return count_any_layout<kPatches, true>(tree, ray, stats).found();
    }
    TL_D Hit closest_or_any(const Ray& ray, bool any) const {
        return trace_any_layout<kPatches>(tree, ray, any);
    }
};

/// Resident blocks per SM to request for kernels of a tracer (parallel_for); 0 leaves that to the
/// compiler. The functions that an AnyTracer calls would by default take so many registers that few
/// rays are there to hide each other's latency. Patches spill registers in any case.
template <class Tracer>
inline constexpr int kBlocksFor = 0;
template <>
inline constexpr int kBlocksFor<AnyTracer<false>> = 8;

/// Calls visitor(tracer) with an AnyTracer. The visitor launches the kernel.
template <class Visitor>
void visit_any_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.patches.empty())
        visitor(AnyTracer<false>{tree});
    else
        visitor(AnyTracer<true>{tree});
}

/// visit_tracer for kernels that are worth compiling for each automatically chosen layout: calls
/// visitor(tracer) with the tracer of such a layout, or returns false if the tree has another one,
/// patches, or robust tests.
template <class Visitor>
[[nodiscard]] bool visit_default_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.robust || !tree.patches.empty()) return false;
    PlainTests<false> tests;
    if (tree.instances) {
        visitor(InstanceTracer<false>{tree.bvh2, tree.primitives, tree.instances, tests});
        return true;
    }
#if defined(__CUDACC__)
    if (tree.layout == TreeLayout::cwbvh) return false;
    if (tree.layout == TreeLayout::bvh4)
        visitor(tracer_of_layout<TreeLayout::bvh4, false>(tree, tests));
    else
        visitor(tracer_of_layout<TreeLayout::bvh2, false>(tree, tests));
#else
    if (tree.layout != TreeLayout::simd8) return false;
    visitor(tracer_of_layout<TreeLayout::simd8, false>(tree, tests));
#endif
    return true;
}

TL_DEVICE_END

#if defined(__CUDACC__)
#include "accel/bvh/traversal/any_tracer_functions.h"
#else
namespace tl::cpu {
extern template Hit trace_any_layout<false>(const TreeView&, const Ray&, bool);
extern template Hit trace_any_layout<true>(const TreeView&, const Ray&, bool);
extern template Hit count_any_layout<false, false>(const TreeView&, const Ray&, RayStats&);
extern template Hit count_any_layout<false, true>(const TreeView&, const Ray&, RayStats&);
extern template Hit count_any_layout<true, false>(const TreeView&, const Ray&, RayStats&);
extern template Hit count_any_layout<true, true>(const TreeView&, const Ray&, RayStats&);
}  // namespace tl::cpu
#endif
