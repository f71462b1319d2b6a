// Traces many rays in one launch. CUDA uses persistent warps: when too few lanes are busy, the idle
// lanes fetch the next rays from a queue. See Aila & Laine 2009, "Understanding the efficiency of
// ray traversal on GPUs" (persistent threads), and Ylitie et al. 2017 (dynamic fetch). Only files
// compiled for a device include this header.
#pragma once

#include "accel/bvh/traversal/traversal.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

/// List of rays to trace: sink(i, hit) is called with the hit of ray source(i) for every i below
/// size(). Source and sink are structs with a TL_D call operator, copied to the device.
template <class Source, class Sink>
struct RaysToTrace {
    Source source;
    Sink sink;
    std::uint32_t most;                    ///< upper bound of the number of rays
    const std::uint32_t* count = nullptr;  ///< number of rays, on the device; null: `most`

    [[nodiscard]] TL_D std::uint32_t size() const { return count && *count < most ? *count : most; }
};

#if defined(__CUDACC__)

/// Number of busy lanes below which a warp fetches new rays. Measured on an H200 over 16 to 28
/// lanes and 8 to 64 steps: the cost is flat around kQueueMinBusy and kQueueSteps.
inline constexpr int kQueueMinBusy = 24;
/// Traversal steps between two checks of the number of busy lanes.
inline constexpr int kQueueSteps = 24;

/// Queue of one list of rays.
template <bool kAnyHit_, class Source, class Sink>
struct RayQueue {
    static constexpr bool kAnyHit = kAnyHit_;
    const RaysToTrace<Source, Sink>& rays;

    [[nodiscard]] __device__ std::uint32_t size() const { return rays.size(); }
    [[nodiscard]] __device__ bool is_any(std::uint32_t) const { return kAnyHit; }
    [[nodiscard]] __device__ Ray ray(std::uint32_t i) const { return rays.source(i); }
    __device__ void end(std::uint32_t i, const Hit& hit) const { rays.sink(i, hit); }
};
/// Queue of two lists: the first for closest hits, the second for any hits. The lanes of a warp
/// trace rays of both, so that none waits for the last ray of the first list.
template <class Source, class Sink>
struct TwoRayQueues {
    static constexpr bool kAnyHit = false;
    const RaysToTrace<Source, Sink>&closest, &any;
    const std::uint32_t n_closest = closest.size();

    [[nodiscard]] __device__ std::uint32_t size() const { return n_closest + any.size(); }
    [[nodiscard]] __device__ bool is_any(std::uint32_t i) const { return i >= n_closest; }
    [[nodiscard]] __device__ Ray ray(std::uint32_t i) const {
        return is_any(i) ? any.source(i - n_closest) : closest.source(i);
    }
    __device__ void end(std::uint32_t i, const Hit& hit) const {
        if (is_any(i))
            any.sink(i - n_closest, hit);
        else
            closest.sink(i, hit);
    }
};

/// Traces rays of the queue until it is empty. Called by all threads of a warp. `next` counts the
/// rays taken so far.
template <class Queue, class Nodes>
__device__ __forceinline__ void trace_rays_of(const Queue& queue, const Nodes& nodes,
                                              const Primitive* primitives, std::uint32_t* next) {
    const std::uint32_t n = queue.size();
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
                queue.end(index, found_hit(hit));
                index = Hit::kNone;
            }
            if (more) {
                std::uint32_t first = 0;
                int leader = __ffs(static_cast<int>(idle)) - 1;
                if (static_cast<int>(lane) == leader) first = atomicAdd(next, __popc(idle));
                first = __shfl_sync(kAllLanes, first, leader);
                std::uint32_t mine = first + __popc(idle & ((1u << lane) - 1));
                if (way.done() && mine < n) {
                    ray = queue.ray(mine);
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
            step<Queue::kAnyHit>(nodes, way, slabs, nearest, stats, queue.is_any(index));
    }
}

template <bool kAnyHit, class Nodes, class Source, class Sink>
__global__ void __launch_bounds__(kBlockSize, 8)
    trace_queue_kernel(const __grid_constant__ Nodes nodes, const Primitive* primitives,
                       const __grid_constant__ RaysToTrace<Source, Sink> rays,
                       std::uint32_t* next) {
    trace_rays_of(RayQueue<kAnyHit, Source, Sink>{rays}, nodes, primitives, next);
}
template <class Nodes, class Source, class Sink>
__global__ void __launch_bounds__(kBlockSize, 10)
    trace_both_kernel(const __grid_constant__ Nodes nodes, const Primitive* primitives,
                      const __grid_constant__ RaysToTrace<Source, Sink> closest,
                      const __grid_constant__ RaysToTrace<Source, Sink> any, std::uint32_t* next) {
    trace_rays_of(TwoRayQueues<Source, Sink>{closest, any}, nodes, primitives, next);
}

/// Returns the number of blocks of a kernel that can be resident on the device.
template <class Kernel>
unsigned resident_blocks(Kernel kernel) {
    int per_sm = 0, n_sms = 0, device = 0;
    TL_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, kBlockSize, 0));
    TL_CUDA_CHECK(cudaGetDevice(&device));
    TL_CUDA_CHECK(cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, device));
    return static_cast<unsigned>(per_sm * n_sms);
}
/// Returns the number of blocks that `n` rays fill, at most the number of resident ones.
inline unsigned blocks_of_queue(std::uint32_t n, unsigned n_resident) {
    return std::min((n + kBlockSize - 1) / kBlockSize, n_resident);
}

#endif

#if !defined(__CUDACC__)

/// Number of rays whose traversal steps are interleaved, if the tracer supports that. Measured over
/// 8, 16, 32 and 64: with 8, closest hits in an atrium take a tenth longer than with 32.
inline constexpr int kRaysTogether = 32;
/// Whether the tracer can interleave rays.
template <class Tracer>
inline constexpr bool kTracesTogether = requires {
    &Tracer::template closest_together<kRaysTogether>;
};

/// Traces `n` rays, at most kRaysTogether, from the `first` on, with interleaved steps.
template <bool kAnyHit, class Tracer, class Source, class Sink>
void trace_together(const Tracer& tracer, const RaysToTrace<Source, Sink>& rays,
                    std::uint32_t first, std::uint32_t n) {
    Ray taken[kRaysTogether];
    Hit hits[kRaysTogether];
    for (std::uint32_t i = 0; i < n; ++i) taken[i] = rays.source(first + i);
    if constexpr (kAnyHit) {
        std::uint64_t occluded =
            tracer.template occluded_together<kRaysTogether>(taken, static_cast<int>(n));
        for (std::uint32_t i = 0; i < n; ++i)
            if (occluded >> i & 1u) hits[i].primitive = 0;
    } else {
        tracer.template closest_together<kRaysTogether>(taken, static_cast<int>(n), hits);
    }
    for (std::uint32_t i = 0; i < n; ++i) rays.sink(first + i, hits[i]);
}

/// Traces all rays of the list, kRaysTogether at a time. A task takes `grain` rays.
template <bool kAnyHit, class Tracer, class Source, class Sink>
void trace_all_together(Stream& stream, const char* name, const Tracer& tracer,
                        const RaysToTrace<Source, Sink>& rays, std::uint32_t grain) {
    constexpr std::uint32_t kRays = kRaysTogether;
    std::uint32_t n = rays.size();
    parallel_for(
        stream, name, (n + kRays - 1) / kRays,
        [=](std::uint32_t group) {
            std::uint32_t first = group * kRays;
            trace_together<kAnyHit>(tracer, rays, first, std::min(kRays, n - first));
        },
        grain / kRays);
}

#endif

/// Traces rays like trace_queue, but with one thread per ray.
template <bool kAnyHit, class Tracer, class Source, class Sink>
void trace_each(Stream& stream, const char* name, Tracer tracer, RaysToTrace<Source, Sink> rays) {
    constexpr std::uint32_t kGrain = 256;
#if !defined(__CUDACC__)
    if constexpr (kTracesTogether<Tracer>)
        if (kAnyHit || tracer.prefers_closest_together())
            return trace_all_together<kAnyHit>(stream, name, tracer, rays, kGrain);
#endif
    parallel_for(
        stream, name, rays.most,
        TL_LAMBDA(std::uint32_t i) {
            if (!rays.count || i < *rays.count)
                rays.sink(i, trace_one<kAnyHit>(tracer, rays.source(i)));
        },
        kGrain);
}

/// Finds the closest hit of each ray or, with kAnyHit, any hit, of which only found() is valid.
template <bool kAnyHit, class Nodes, class Source, class Sink>
void trace_queue(Scratch& scratch, const char* name, const NodeTracer<Nodes>& tracer,
                 const RaysToTrace<Source, Sink>& rays) {
#if defined(__CUDACC__)
    if (rays.most == 0) return;
    Scratch::Scope scope(scratch);
    auto next = scratch.take<std::uint32_t>(1);
    auto stream = static_cast<cudaStream_t>(scratch.stream().native());
    TL_CUDA_CHECK(cudaMemsetAsync(next.data, 0, sizeof(std::uint32_t), stream));
    auto kernel = trace_queue_kernel<kAnyHit, Nodes, Source, Sink>;
    static const unsigned n_resident = resident_blocks(kernel);  // once for each kernel
    kernel<<<blocks_of_queue(rays.most, n_resident), kBlockSize, 0, stream>>>(
        tracer.nodes, tracer.primitives, rays, next.data);
    TL_CUDA_CHECK_LAUNCH(name);
#else
    trace_each<kAnyHit>(scratch.stream(), name, tracer, rays);
#endif
}

/// trace_queue for tracers without a queue kernel, with one thread per ray.
template <bool kAnyHit, class Tracer, class Source, class Sink>
void trace_queue(Scratch& scratch, const char* name, const Tracer& tracer,
                 const RaysToTrace<Source, Sink>& rays) {
    trace_each<kAnyHit>(scratch.stream(), name, tracer, rays);
}

#if defined(__CUDACC__)

/// Finds the closest hits of some rays and any hits of others, in one launch. A thread takes
/// several rays: there may be far fewer rays than the upper bound, and blocks without rays take
/// time, too.
template <class Tracer, class Source, class Sink>
void trace_both_each(Stream& stream, const char* name, Tracer tracer,
                     RaysToTrace<Source, Sink> closest, RaysToTrace<Source, Sink> any) {
    constexpr std::uint32_t kRays = 4, kOfBlock = kRays * kBlockSize;
    std::uint32_t n_closest = (closest.most + kOfBlock - 1) / kOfBlock * kBlockSize;
    std::uint32_t n_any = (any.most + kOfBlock - 1) / kOfBlock * kBlockSize;
    parallel_for(
        stream, name, n_closest + n_any, TL_LAMBDA(std::uint32_t thread) {
            if (thread < n_closest)
                for (std::uint32_t i = thread; i < closest.size(); i += n_closest)
                    closest.sink(i, tracer.closest(closest.source(i)));
            else
                for (std::uint32_t i = thread - n_closest; i < any.size(); i += n_any)
                    any.sink(i, trace_one<true>(tracer, any.source(i)));
        });
}
/// Finds the closest hits of some rays and any hits of others, by one queue of both.
template <class Nodes, class Source, class Sink>
void trace_both_queues(Scratch& scratch, const char* name, const NodeTracer<Nodes>& tracer,
                       const RaysToTrace<Source, Sink>& closest,
                       const RaysToTrace<Source, Sink>& any) {
    if (closest.most + any.most == 0) return;
    Scratch::Scope scope(scratch);
    auto next = scratch.take<std::uint32_t>(1);
    auto stream = static_cast<cudaStream_t>(scratch.stream().native());
    TL_CUDA_CHECK(cudaMemsetAsync(next.data, 0, sizeof(std::uint32_t), stream));
    auto kernel = trace_both_kernel<Nodes, Source, Sink>;
    static const unsigned n_resident = resident_blocks(kernel);  // once for each kernel
    kernel<<<blocks_of_queue(closest.most + any.most, n_resident), kBlockSize, 0, stream>>>(
        tracer.nodes, tracer.primitives, closest, any, next.data);
    TL_CUDA_CHECK_LAUNCH(name);
}
/// trace_both_queues for tracers without a queue kernel: trace_both_each.
template <class Tracer, class Source, class Sink>
void trace_both_queues(Scratch& scratch, const char* name, const Tracer& tracer,
                       const RaysToTrace<Source, Sink>& closest,
                       const RaysToTrace<Source, Sink>& any) {
    trace_both_each(scratch.stream(), name, tracer, closest, any);
}

#endif

TL_DEVICE_END
