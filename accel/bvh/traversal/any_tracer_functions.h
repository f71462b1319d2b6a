// Definitions of the functions that an AnyTracer calls, for any_tracer.cu and
// any_tracer_patches.cu.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"

TL_DEVICE_BEGIN

template <bool kAnyHit, class Tracer>
TL_D Hit trace_out_of_line(Tracer tracer, Ray ray, bool any) {
    if constexpr (kTracesBoth<Tracer>)
        return tracer.closest_or_any(ray, any);
    else
        return trace_one<kAnyHit>(tracer, ray);
}

template <bool kAnyHit, class Tracer>
TL_D CountedHit count_out_of_line(Tracer tracer, Ray ray) {
    CountedHit counted;
    if constexpr (!kAnyHit)
        counted.hit = tracer.closest(ray, counted.stats);
    else if (tracer.occluded(ray, counted.stats))
        counted.hit.primitive = 0;
    return counted;
}

TL_DEVICE_END

/// Instantiates the functions for a tracer.
#define TL_INSTANTIATE_TRACER(...)                                       \
    template TL_D Hit trace_out_of_line<false>(__VA_ARGS__, Ray, bool);  \
    template TL_D Hit trace_out_of_line<true>(__VA_ARGS__, Ray, bool);   \
    template TL_D CountedHit count_out_of_line<false>(__VA_ARGS__, Ray); \
    template TL_D CountedHit count_out_of_line<true>(__VA_ARGS__, Ray);

/// Instantiates the functions for the tracers of all layouts with one kind of slab test and of
/// primitives.
#if defined(__CUDACC__)
#define TL_INSTANTIATE_BVH8(kRobust, Tests)
#else
#define TL_INSTANTIATE_BVH8(kRobust, Tests) TL_INSTANTIATE_TRACER(Bvh8Tracer<kRobust, Tests>)
#endif
#define TL_INSTANTIATE_TRACERS(kRobust, Tests)            \
    TL_INSTANTIATE_TRACER(Bvh2Tracer<kRobust, Tests>)     \
    TL_INSTANTIATE_TRACER(SkipTracer<kRobust, Tests>)     \
    TL_INSTANTIATE_TRACER(Bvh4Tracer<kRobust, Tests>)     \
    TL_INSTANTIATE_TRACER(InstanceTracer<kRobust, Tests>) \
    TL_INSTANTIATE_BVH8(kRobust, Tests)
