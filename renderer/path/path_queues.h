// Queues of the wavefront path tracer (path_wavefront.h). Only the device knows their lengths.
#pragma once

#include <algorithm>

#include "accel/bvh/traversal/trace_rays.h"
#include "core/device/atomics.h"
#include "core/device/block.h"
#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"
#include "renderer/optics/packed_direction.h"
#include "renderer/path/path_job.h"

TL_DEVICE_BEGIN

/// Leading 16-byte words of a ray in use by scenes without patches, textures or splats.
inline constexpr std::uint32_t kWordsOfPlainPath = 3, kWordsOfPlainRay = 2;
static_assert(offsetof(PathRay, cone) == 16 * kWordsOfPlainPath &&
              offsetof(Ray, on_patch) == 16 * kWordsOfPlainRay);

/// Active paths: newest ray and previous vertex state of each.
struct PathQueue {
    Records<PathRay> rays;
    Records<PathHistory> histories;

    PathQueue(Scratch& scratch, std::uint32_t n)
        : rays(take_records<PathRay>(scratch, n)),
          histories(take_records<PathHistory>(scratch, n)) {}
    // kWords: number of leading words of the ray to store, such as kWordsOfPlainPath.
    template <std::uint32_t kWords = Records<PathRay>::kWords>
    TL_D void store(std::uint32_t i, const PathState& state) const {
        rays.store<kWords>(i, state.ray);
        histories.store(i, state.history);
    }
    /// Prefetches the words that load() reads.
    template <std::uint32_t kWords = Records<PathRay>::kWords>
    TL_D void prefetch(std::uint32_t i, bool is_camera_ray) const {
        rays.prefetch<kWords>(i);
        if (!is_camera_ray) histories.prefetch(i);
    }
    /// Loads a path. Camera rays are stored without a PathHistory, which is constant for them.
    template <std::uint32_t kWords = Records<PathRay>::kWords>
    [[nodiscard]] TL_D PathState load(std::uint32_t i, bool is_camera_ray) const {
        return {rays.load<kWords>(i),
                is_camera_ray ? PathHistory::of_camera_ray() : histories.load(i)};
    }
};

struct ShadowQueue {
    Records<Ray> rays;
    View<ArrivingLight> light;
    View<std::uint8_t> occluded;

    ShadowQueue(Scratch& scratch, std::uint32_t n)
        : rays(take_records<Ray>(scratch, n)),
          light(scratch.take<ArrivingLight>(n)),
          occluded(scratch.take<std::uint8_t>(n)) {}
    template <std::uint32_t kWords = Records<Ray>::kWords>
    TL_D void store(std::uint32_t i, const Ray& ray, const ArrivingLight& arriving) const {
        rays.store<kWords>(i, ray);
        store_vectorized(light[i], arriving);
    }
};

/// Loads a path slot's sum as one word of 16 bytes.
TL_D inline vec4 load_sum(const vec4& sum) {
#if defined(__CUDA_ARCH__)
    float4 word = __ldcg(reinterpret_cast<const float4*>(&sum));
    return {word.x, word.y, word.z, word.w};
#else
    return sum;
#endif
}
/// Stores a path slot's sum as one word of 16 bytes.
TL_D inline void store_sum(vec4& sum, vec4 value) {
#if defined(__CUDA_ARCH__)
    __stcg(reinterpret_cast<float4*>(&sum), make_float4(value.x, value.y, value.z, value.w));
#else
    sum = value;
#endif
}

/// Gather point with a Lambertian wide lobe: its radiance is the same in all directions.
struct alignas(16) LambertianPoint {
    vec3 position;
    /// Normal on the lit side by pack_direction<12>, then the path depth in the low eight bits.
    std::uint32_t surface;
    vec3 throughput;  ///< factor of the irradiance in the pixel's radiance
    std::uint32_t pixel;

    [[nodiscard]] TL_HD static std::uint32_t surface_of(vec3 normal, std::uint32_t depth) {
        return pack_direction<12>(normal) << 8 | depth;
    }
    [[nodiscard]] TL_HD vec3 normal() const { return unpack_direction<12>(surface >> 8); }
    [[nodiscard]] TL_HD std::uint32_t depth() const { return surface & 0xff; }
};
static_assert(sizeof(LambertianPoint) == 32);

/// Gather points, at which indirect lighting is estimated; at most one per path, of either kind.
struct GatherQueue {
    View<LambertianPoint> lambertian;  ///< Lambertian points
    View<PathRay> rays;                ///< path rays that hit the other points
    View<Hit> hits;                    ///< hits of `rays`
    View<std::uint32_t> dense;         ///< indices of points among very many photons

    GatherQueue() = default;
    GatherQueue(Scratch& scratch, std::uint32_t n)
        : lambertian(scratch.take<LambertianPoint>(n)),
          rays(scratch.take<PathRay>(n)),
          hits(scratch.take<Hit>(n)),
          dense(scratch.take<std::uint32_t>(n)) {}
};

/// Lengths of a bounce's queues, on the device. Each has 128 bytes of its own, since atomic
/// operations on the same few bytes are serialised.
struct WaveCounts {
    alignas(128) std::uint32_t n_paths;
    alignas(128) std::uint32_t n_shadows;
    alignas(128) std::uint32_t n_lambertian;
    alignas(128) std::uint32_t n_others;
    /// Entries that a kernel of gathers leaves to wide teams.
    struct Dense {
        std::uint32_t lambertian, others;
    };
    alignas(128) Dense n_dense;
};

/// Threads of a kernel over a queue, several times as many as a GPU runs at a time. Each thread
/// handles every kQueueThreads-th entry.
inline constexpr std::uint32_t kQueueThreads = 1u << 18;

/// Grid-stride loop: calls op(i) for every entry of a thread, from the `first` on. Inlined, so that
/// the op's members stay in the kernel's parameter memory; a call would copy them for each thread.
template <class Op>
struct EntriesOfThread {
    Op op;
    const std::uint32_t* count;
    std::uint32_t n_threads;

    TL_D TL_ALWAYS_INLINE void operator()(std::uint32_t first) const {
        for (std::uint32_t i = first; i < *count; i += n_threads) op(i);
    }
};

/// Calls op(i) for every entry of a queue. `count`: the queue's length, on the device.
/// kResidentBlocks: as for parallel_for.
template <int kResidentBlocks = 0, class Op>
void for_each_entry(Stream& stream, const char* name, const std::uint32_t* count,
                    std::uint32_t capacity, Op op) {
#if defined(__CUDACC__)
    std::uint32_t n_threads = std::min(capacity, kQueueThreads);
    parallel_for<kResidentBlocks>(stream, name, n_threads,
                                  EntriesOfThread<Op>{op, count, n_threads});
#else
    // The host can read device memory here, so the launch is as long as the queue.
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

/// Reserves slots in kQueues queues for the threads of a block, by one global atomic operation per
/// queue. Atomics on one address are serialised; one per warp would stall all warps.
template <int kThreads, int kQueues>
class BlockAppend {
  public:
    struct Shared {
        std::uint32_t n[kQueues], first[kQueues];
    };

    __device__ BlockAppend(const Block<kThreads>& block, Shared& shared)
        : block_(block), shared_(shared) {
        if (block.rank < kQueues) shared.n[block.rank] = 0;
        block.sync();
    }
    /// Called by all threads of the block, which it synchronises. Sets places[q] to the slot of
    /// this thread in the queue of length *counts[q], if wants[q].
    __device__ void operator()(std::uint32_t* const (&counts)[kQueues],
                               const bool (&wants)[kQueues],
                               std::uint32_t (&places)[kQueues]) const {
        unsigned lane = block_.rank % 32;
#pragma unroll
        for (int q = 0; q < kQueues; ++q) {
            unsigned wanted = __ballot_sync(kWholeWarp, wants[q]);
            std::uint32_t first = 0;
            if (lane == 0 && wanted)
                first = atomicAdd(&shared_.n[q], static_cast<std::uint32_t>(__popc(wanted)));
            places[q] = __shfl_sync(kWholeWarp, first, 0) +
                        static_cast<std::uint32_t>(__popc(wanted & ((1u << lane) - 1)));
        }
        block_.sync();
        if (block_.rank < kQueues) {  // one thread for each queue
            std::uint32_t* count = counts[0];
#pragma unroll
            for (int q = 1; q < kQueues; ++q)
                if (block_.rank == static_cast<std::uint32_t>(q)) count = counts[q];
            shared_.first[block_.rank] = atomicAdd(count, shared_.n[block_.rank]);
            shared_.n[block_.rank] = 0;
        }
        block_.sync();
#pragma unroll
        for (int q = 0; q < kQueues; ++q) places[q] += shared_.first[q];
    }

  private:
    const Block<kThreads>& block_;
    Shared& shared_;
};

#endif

/// Number of blocks that can be resident, or fewer if they cover the queue's capacity.
template <int kThreads, int kResidentBlocks>
std::uint32_t blocks_in_step(Stream& stream, std::uint32_t capacity) {
    auto n_resident = static_cast<std::uint32_t>(stream.multiprocessors()) * kResidentBlocks;
    return std::min((capacity + kThreads - 1) / kThreads, n_resident);
}

/// Variant of for_each_entry for kernels of thousands of instructions. On a GPU the kThreads
/// threads of a block synchronise before each entry. Warps then run about the same code and share
/// instruction fetches, which take much of the time. kResidentBlocks: maximum number of resident
/// blocks on a multiprocessor, which limits registers.
template <int kThreads, int kResidentBlocks, class Op>
void for_each_entry_in_step(Stream& stream, const char* name, const std::uint32_t* count,
                            std::uint32_t capacity, Op op) {
#if defined(__CUDACC__)
    launch_blocks<kThreads, NoShared, kResidentBlocks>(
        stream, name, blocks_in_step<kThreads, kResidentBlocks>(stream, capacity),
        EntriesInStep<kThreads, Op>{op, count});
#else
    for_each_entry(stream, name, count, capacity, op);
#endif
}

TL_DEVICE_END
