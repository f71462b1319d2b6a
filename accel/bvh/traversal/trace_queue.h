// Traces many rays in one launch. On CUDA with persistent warps: when too few lanes are busy, the
// idle ones take the next rays from a queue (Aila & Laine 2009, "Understanding the efficiency of
// ray traversal on GPUs", persistent threads; Ylitie et al. 2017, dynamic fetch). Only files
// compiled for a device include this header.
#pragma once

#include "accel/bvh/traversal/traversal.h"
#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

/// A warp takes new rays when fewer than this many lanes are busy, checked every kQueueSteps steps.
/// Measured on an H200 over 16 to 28 lanes and 8 to 64 steps: flat around these values.
inline constexpr int kQueueMinBusy = 24;
inline constexpr int kQueueSteps = 24;

template <bool kAnyHit, class Nodes, class Source, class Sink>
__global__ void __launch_bounds__(kBlockSize, 8)
    trace_queue_kernel(const __grid_constant__ Nodes nodes, const Primitive* primitives,
                       std::uint32_t n, const __grid_constant__ Source source,
                       const __grid_constant__ Sink sink, std::uint32_t* next,
                       const std::uint32_t* count) {
    if (count && *count < n) n = *count;
    constexpr std::uint32_t kAllLanes = 0xffffffffu;
    const std::uint32_t lane = threadIdx.x % 32;
    TraversalStack stack;
    Traversal way(NodeRef::missing(), stack);
    Ray ray;
    typename Nodes::RaySlabs slabs;
    PrimitiveRay<Nodes::kIsRobust> tester(ray);
    Hit hit;
    NoStats stats;
    std::uint32_t index = Hit::kNone;  // index of this lane's ray
    bool more = true;                  // whether the queue has rays; the same in all lanes
    for (;;) {
        std::uint32_t idle = __ballot_sync(kAllLanes, way.done());
        if (32 - __popc(idle) < kQueueMinBusy) {
            if (way.done() && index != Hit::kNone) {
                sink(index, found_hit(hit));
                index = Hit::kNone;
            }
            if (more) {
                std::uint32_t first = 0;
                int leader = __ffs(static_cast<int>(idle)) - 1;
                if (static_cast<int>(lane) == leader) first = atomicAdd(next, __popc(idle));
                first = __shfl_sync(kAllLanes, first, leader);
                std::uint32_t mine = first + __popc(idle & ((1u << lane) - 1));
                if (way.done() && mine < n) {
                    ray = source(mine);
                    slabs = typename Nodes::RaySlabs(ray);
                    tester = PrimitiveRay<Nodes::kIsRobust>(ray);
                    hit = hit_to_find(ray);
                    index = mine;
                    if (is_finite(ray)) way.start(nodes.root());
                }
                more = first + __popc(idle) < n;
            } else if (idle == kAllLanes) {
                way.report(nodes.header());
                return;
            }
        }
        NearestHit<PrimitiveRay<Nodes::kIsRobust>> nearest{primitives, ray, tester, hit};
#pragma unroll 1
        for (int k = 0; k < kQueueSteps && !way.done(); ++k)
            step<kAnyHit>(nodes, way, slabs, nearest, stats);
    }
}

#endif

/// Like trace_queue, but with one thread per ray.
template <bool kAnyHit, class Tracer, class Source, class Sink>
void trace_each(Stream& stream, const char* name, Tracer tracer, std::uint32_t n, Source source,
                Sink sink, const std::uint32_t* count = nullptr) {
    constexpr std::uint32_t kGrain = 256;
    parallel_for(
        stream, name, n,
        TL_LAMBDA(std::uint32_t i) {
            if (!count || i < *count) sink(i, trace_one<kAnyHit>(tracer, source(i)));
        },
        kGrain);
}

/// Calls sink(i, hit) with the hit of ray source(i) for i in [0, n): the closest or, with kAnyHit,
/// any hit, of which only found() is valid; with `count`, on the device, for i in [0, *count) below
/// n. Source and sink are structs with a TL_D call operator, copied to the device.
template <bool kAnyHit, class Nodes, class Source, class Sink>
void trace_queue(Scratch& scratch, const char* name, const NodeTracer<Nodes>& tracer,
                 std::uint32_t n, Source source, Sink sink, const std::uint32_t* count = nullptr) {
#if defined(__CUDACC__)
    if (n == 0) return;
    Scratch::Scope scope(scratch);
    auto next = scratch.take<std::uint32_t>(1);
    auto stream = static_cast<cudaStream_t>(scratch.stream().native());
    TL_CUDA_CHECK(cudaMemsetAsync(next.data, 0, sizeof(std::uint32_t), stream));
    auto kernel = trace_queue_kernel<kAnyHit, Nodes, Source, Sink>;
    // As many blocks as can be resident on the device, computed once for each kernel.
    static const unsigned n_resident = [&] {
        int per_sm = 0, n_sms = 0, device = 0;
        TL_CUDA_CHECK(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, kBlockSize, 0));
        TL_CUDA_CHECK(cudaGetDevice(&device));
        TL_CUDA_CHECK(cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, device));
        return static_cast<unsigned>(per_sm * n_sms);
    }();
    unsigned n_useful = (n + kBlockSize - 1) / kBlockSize;
    unsigned grid = n_useful < n_resident ? n_useful : n_resident;
    trace_queue_kernel<kAnyHit, Nodes, Source, Sink><<<grid, kBlockSize, 0, stream>>>(
        tracer.nodes, tracer.primitives, n, source, sink, next.data, count);
    TL_CUDA_CHECK_LAUNCH(name);
#else
    trace_each<kAnyHit>(scratch.stream(), name, tracer, n, source, sink, count);
#endif
}

/// The same for other tracers, with one thread per ray.
template <bool kAnyHit, class Tracer, class Source, class Sink>
void trace_queue(Scratch& scratch, const char* name, const Tracer& tracer, std::uint32_t n,
                 Source source, Sink sink, const std::uint32_t* count = nullptr) {
    trace_each<kAnyHit>(scratch.stream(), name, tracer, n, source, sink, count);
}

TL_DEVICE_END
