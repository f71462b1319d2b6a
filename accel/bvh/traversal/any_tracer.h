// Layout-independent tracer for kernels that trace rays between other work. Such kernels are
// compiled once instead of once per layout. Each ray costs a function call more than with the
// layout's own tracer. CUDA files whose kernels use it are named in their folder's CMakeLists.txt
// (tl_calls_any_tracer). Kernels that do little but trace should leave their rays to trace_closest
// and trace_any (accel/bvh/traversal/trace_rays.h). They may use visit_default_tracer (below) if a
// measurement shows that it pays.
#pragma once

#include "accel/bvh/traversal/tracer.h"

TL_DEVICE_BEGIN

/// Hit with the traversal statistics of its ray.
struct CountedHit {
    Hit hit;
    RayStats stats;
};

/// Returns the closest hit of a ray or, with `any` or kAnyHit, any hit, of which only found() is
/// valid. Not inlined: compiled for each tracer once, in any_tracer.cu and any_tracer_patches.cu.
template <bool kAnyHit, class Tracer>
TL_D TL_NO_INLINE Hit trace_out_of_line(Tracer tracer, Ray ray, bool any);
/// Like trace_out_of_line, but also counts the nodes and primitives that are tested.
template <bool kAnyHit, class Tracer>
TL_D TL_NO_INLINE CountedHit count_out_of_line(Tracer tracer, Ray ray);

/// Whether one traversal function of the tracer handles both closest-hit and any-hit rays.
template <class Tracer>
inline constexpr bool kTracesBoth = requires(const Tracer& tracer, const Ray& ray, bool any) {
    tracer.closest_or_any(ray, any);
};

/// Tracer, as accel/bvh/traversal/tracer.h defines it, for trees of every layout. `kWithPatches`
/// selects whether the tree has patches.
template <bool kWithPatches>
struct AnyTracer {
    static constexpr bool kPatches = kWithPatches;
    TreeView tree;

    TL_D Hit closest(const Ray& ray, NoStats = {}) const { return closest_or_any(ray, false); }
    TL_D bool occluded(const Ray& ray, NoStats = {}) const {
        return closest_or_any(ray, true).found();
    }
    TL_D Hit closest(const Ray& ray, RayStats& stats) const { return count<false>(ray, stats); }
    TL_D bool occluded(const Ray& ray, RayStats& stats) const {
        return count<true>(ray, stats).found();
    }
    TL_D Hit closest_or_any(const Ray& ray, bool any) const {
        return visit_tracer_with<kPatches>(tree, [&](const auto& tracer) {
            using Tracer = std::remove_cvref_t<decltype(tracer)>;
            if constexpr (kTracesBoth<Tracer>)
                return trace_out_of_line<false>(tracer, ray, any);
            else
                return any ? trace_out_of_line<true>(tracer, ray, any)
                           : trace_out_of_line<false>(tracer, ray, any);
        });
    }

  private:
    template <bool kAnyHit>
    TL_D Hit count(const Ray& ray, RayStats& stats) const {
        CountedHit counted = visit_tracer_with<kPatches>(
            tree, [&](const auto& tracer) { return count_out_of_line<kAnyHit>(tracer, ray); });
        stats.n_nodes += counted.stats.n_nodes;
        stats.n_primitives += counted.stats.n_primitives;
        return counted.hit;
    }
};

/// Resident blocks per SM of kernels that call an AnyTracer without patches; the functions for
/// patches spill registers in any case. With the compiler's default number of registers, occupancy
/// would be too low to hide latency. CMakeLists.txt limits the functions' registers accordingly.
inline constexpr int kAnyTracerBlocks = 6;

/// Resident blocks per SM to request for kernels of a tracer (parallel_for); 0 leaves that to the
/// compiler.
template <class Tracer>
inline constexpr int kBlocksFor = 0;
template <>
inline constexpr int kBlocksFor<AnyTracer<false>> = kAnyTracerBlocks;

/// Calls visitor(tracer) with an AnyTracer. The visitor launches the kernel.
template <class Visitor>
void visit_any_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.patches.empty())
        visitor(AnyTracer<false>{tree});
    else
        visitor(AnyTracer<true>{tree});
}

/// Calls visitor(tracer) with the tracer of an automatically chosen layout, for kernels worth
/// compiling for each of these. Returns false if the tree has another layout, patches, or robust
/// tests.
template <class Visitor>
[[nodiscard]] bool visit_default_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.robust || !tree.patches.empty() || tree.layout == TreeLayout::skip) return false;
    PlainTests<false> tests;
    if (tree.instances) {
        visitor(InstanceTracer<false>{tree.bvh2, tree.primitives, tree.instances, tests});
        return true;
    }
#if defined(__CUDACC__)
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

/// Calls visitor(tracer) on CUDA for trees of layout bvh2 with robust tests or patches, without
/// instances. Returns false for other trees, and on the CPU.
template <class Visitor>
[[nodiscard]] bool visit_compared_tracer(const TreeView& tree, Visitor&& visitor) {
#if defined(__CUDACC__)
    bool is_exact = tree.robust || !tree.patches.empty();
    if (tree.instances || !is_exact || tree.layout != TreeLayout::bvh2) return false;
    if (tree.patches.empty())
        visitor(tracer_of_layout<TreeLayout::bvh2, true>(tree, PlainTests<true>{}));
    else
        visitor(tracer_of_layout<TreeLayout::bvh2, true>(tree, PatchTests{tree.patches}));
    return true;
#else
    (void)tree, (void)visitor;
    return false;
#endif
}

TL_DEVICE_END
