// The queues of paths that advance together (path_wavefront.h). Only the device knows their
// lengths.
#pragma once

#include <algorithm>

#include "accel/bvh/traversal/trace_rays.h"
#include "accel/parallel/atomics.h"
#include "accel/parallel/block.h"
#include "accel/parallel/parallel_for.h"
#include "accel/parallel/whole_copy.h"
#include "renderer/optics/packed_direction.h"
#include "renderer/paths/path_job.h"

TL_DEVICE_BEGIN

/// Paths whose newest rays are traced.
struct PathQueue {
    View<PathRay> rays;
    View<PathTrail> trails;

    PathQueue(Scratch& scratch, std::uint32_t n)
        : rays(scratch.take<PathRay>(n)), trails(scratch.take<PathTrail>(n)) {}
    TL_D void store(std::uint32_t i, const PathTip& tip) const {
        store_whole(rays[i], tip.ray);
        store_whole(trails[i], tip.trail);
    }
    /// Camera rays are stored without their trail.
    [[nodiscard]] TL_D PathTip load(std::uint32_t i, bool is_camera_ray) const {
        return {load_whole(rays[i]),
                is_camera_ray ? PathTrail::of_camera_ray() : load_whole(trails[i])};
    }
};

struct ShadowQueue {
    View<Ray> rays;
    View<ArrivingLight> light;
    View<std::uint8_t> occluded;

    ShadowQueue(Scratch& scratch, std::uint32_t n)
        : rays(scratch.take<Ray>(n)),
          light(scratch.take<ArrivingLight>(n)),
          occluded(scratch.take<std::uint8_t>(n)) {}
};

/// A place that reflects the irradiance there evenly to all directions.
struct alignas(16) EvenPlace {
    vec3 position;
    std::uint32_t surface;  ///< the normal on its side, pack_direction<12>; then, in eight bits,
                            ///< the bounces before it
    vec3 weight;            ///< of the irradiance, in the pixel's radiance
    std::uint32_t pixel;

    [[nodiscard]] TL_HD static std::uint32_t surface_of(vec3 normal, std::uint32_t depth) {
        return pack_direction<12>(normal) << 8 | depth;
    }
    [[nodiscard]] TL_HD vec3 normal() const { return unpack_direction<12>(surface >> 8); }
    [[nodiscard]] TL_HD std::uint32_t depth() const { return surface & 0xff; }
};
static_assert(sizeof(EvenPlace) == 32);

/// Places where the light that has been scattered before is looked up: one for each path at most,
/// of either kind.
struct GatherQueue {
    View<EvenPlace> even;
    View<PathRay> rays;  ///< by which the paths have arrived at the other places
    View<Hit> hits;

    GatherQueue() = default;
    GatherQueue(Scratch& scratch, std::uint32_t n)
        : even(scratch.take<EvenPlace>(n)),
          rays(scratch.take<PathRay>(n)),
          hits(scratch.take<Hit>(n)) {}
};

/// The lengths of a bounce's queues, on the device.
struct WaveCounts {
    std::uint32_t n_paths, n_shadows, n_even, n_uneven;
};

/// Threads of a kernel over a queue: several times as many as a GPU runs at once, each of which
/// takes every kQueueThreads-th entry.
inline constexpr std::uint32_t kQueueThreads = 1u << 18;

/// Calls op(i) for every entry of a queue from the `first` on that a thread takes. Inlined, so that
/// what the op holds stays where arguments of a kernel are: a call would copy it for each thread.
template <class Op>
struct EntriesOfThread {
    Op op;
    const std::uint32_t* count;
    std::uint32_t n_threads;

    TL_D TL_ALWAYS_INLINE void operator()(std::uint32_t first) const {
        for (std::uint32_t i = first; i < *count; i += n_threads) op(i);
    }
};

/// Calls op(i) for every entry of a queue; `count`, on the device, is its length. kResidentBlocks:
/// as for parallel_for.
template <int kResidentBlocks = 0, class Op>
void for_each_entry(Stream& stream, const char* name, const std::uint32_t* count,
                    std::uint32_t capacity, Op op) {
#if defined(__CUDACC__)
    std::uint32_t n_threads = std::min(capacity, kQueueThreads);
    parallel_for<kResidentBlocks>(stream, name, n_threads,
                                  EntriesOfThread<Op>{op, count, n_threads});
#else
    // The memory of the device can be read here: launches are as long as the queue.
    parallel_for(stream, name, std::min(capacity, *count), op, 128);
#endif
}

#if defined(__CUDACC__)

template <int kThreads, class Op>
struct EntriesInStep {
    Op op;
    const std::uint32_t* count;

    TL_D TL_ALWAYS_INLINE void operator()(const Block<kThreads>& block, NoShared&) const {
        std::uint32_t n = *count;
        for (std::uint32_t first = block.index * block.size; first < n;
             first += block.n_blocks * block.size) {
            block.sync();
            std::uint32_t i = first + block.rank;
            if (i < n) op(i);
        }
    }
};

/// For append_in_block.
struct BlockAppend {
    std::uint32_t n, first;
};

/// Called by all threads of a block: the next place in a queue of that length for each thread that
/// `wants` one. A single atomic operation, of which the memory does one after the other.
template <int kThreads>
__device__ std::uint32_t append_in_block(const Block<kThreads>& block, BlockAppend& shared,
                                         std::uint32_t* count, bool wants) {
    if (block.rank == 0) shared.n = 0;
    block.sync();
    unsigned wanted = __ballot_sync(kWholeWarp, wants), lane = block.rank % 32;
    std::uint32_t place = 0;
    if (lane == 0) place = atomicAdd(&shared.n, static_cast<std::uint32_t>(__popc(wanted)));
    place = __shfl_sync(kWholeWarp, place, 0);
    block.sync();
    if (block.rank == 0) shared.first = atomicAdd(count, shared.n);
    block.sync();
    return shared.first + place + static_cast<std::uint32_t>(__popc(wanted & ((1u << lane) - 1)));
}

#endif

/// Like for_each_entry, on a GPU in blocks of kThreads threads that wait for each other before each
/// entry, for kernels of thousands of instructions: their warps are then at about the same place
/// and share what is fetched of the code, which takes much of the time. kResidentBlocks:
/// resident on a multiprocessor, as many as the queue fills, which limits registers.
template <int kThreads, int kResidentBlocks, class Op>
void for_each_entry_in_step(Stream& stream, const char* name, const std::uint32_t* count,
                            std::uint32_t capacity, Op op) {
#if defined(__CUDACC__)
    auto n_resident = static_cast<std::uint32_t>(stream.multiprocessors()) * kResidentBlocks;
    std::uint32_t n_blocks = std::min((capacity + kThreads - 1) / kThreads, n_resident);
    launch_blocks<kThreads, NoShared, kResidentBlocks>(stream, name, n_blocks,
                                                       EntriesInStep<kThreads, Op>{op, count});
#else
    for_each_entry(stream, name, count, capacity, op);
#endif
}

TL_DEVICE_END
