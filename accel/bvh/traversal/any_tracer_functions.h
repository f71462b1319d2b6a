// The functions that an AnyTracer calls: one per layout, not inlined, so that kernels need stack
// memory for one traversal only.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"

TL_DEVICE_BEGIN

/// Whether one traversal function of the tracer handles both closest-hit and any-hit rays.
template <class Tracer>
inline constexpr bool kTracesBoth = requires(const Tracer& tracer, const Ray& ray, bool any) {
    tracer.closest_or_any(ray, any);
};

template <bool kAnyHit, class Tracer>
TL_D TL_NO_INLINE Hit trace_out_of_line(const Tracer tracer, const Ray ray, bool any) {
    if constexpr (kTracesBoth<Tracer>)
        return tracer.closest_or_any(ray, any);
    else
        return trace_one<kAnyHit>(tracer, ray);
}

template <bool kAnyHit, class Tracer>
TL_D TL_NO_INLINE Hit count_out_of_line(const Tracer tracer, const Ray ray, RayStats& stats) {
    if constexpr (!kAnyHit) return tracer.closest(ray, stats);
    Hit hit;
    if (tracer.occluded(ray, stats)) hit.primitive = 0;
    return hit;
}

template <bool kPatches>
TL_D Hit trace_any_layout(const TreeView& tree, const Ray& ray, bool any) {
    return visit_tracer_with<kPatches>(tree, [&](const auto& tracer) {
        using Tracer = std::remove_cvref_t<decltype(tracer)>;
        if constexpr (kTracesBoth<Tracer>)
            return trace_out_of_line<false>(tracer, ray, any);
        else
            return any ? trace_out_of_line<true>(tracer, ray, any)
                       : trace_out_of_line<false>(tracer, ray, any);
    });
}

template <bool kPatches, bool kAnyHit>
TL_D Hit count_any_layout(const TreeView& tree, const Ray& ray, RayStats& stats) {
    return visit_tracer_with<kPatches>(
        tree, [&](const auto& tracer) { return count_out_of_line<kAnyHit>(tracer, ray, stats); });
}

TL_DEVICE_END
