// Kernels of shade_paths, templates over the class of scene.
#pragma once

#include "renderer/path/shade_paths.h"

TL_DEVICE_BEGIN

/// Output of a hit's shading (callbacks of PathFollower), appended to the queues immediately.
struct QueuedStep {
    const ShadowQueue& shadows;
    const PathQueue& paths;
    WaveCounts* counts;  ///< [0]: of this bounce, [1]: of the next one
    std::uint32_t pixel = 0, n_rays = 0;

    TL_D void direct(const DirectSample& light) {
        std::uint32_t k = atomic_append(&counts[0].n_shadows);
        shadows.store(k, light.shadow_ray, {light.radiance, pixel});
        ++n_rays;
    }
    TL_D void next(const PathState& state) {
        paths.store(atomic_append(&counts[1].n_paths), state);
        ++n_rays;
    }
};

/// QueuedStep for gathering paths: also appends the gather points.
struct GatheringStep : QueuedStep {
    const GatherQueue& gathers;

    TL_D void gather(const PathRay& ray, const Hit& hit, const PathHit& h,
                     const SurfaceInteraction& at) const {
        if (at.bsdf.is_wide_lambert() && at.lit.normal == h.geometric_normal) {
            LambertianPoint place{
                h.surface.position, LambertianPoint::surface_of(h.geometric_normal, ray.depth()),
                ray.throughput * h.transmittance * at.bsdf.albedo / kPi, ray.pixel};
            return store_vectorized(gathers.lambertian[atomic_append(&counts[0].n_lambertian)],
                                    place);
        }
        std::uint32_t k = atomic_append(&counts[0].n_others);
        store_vectorized(gathers.rays[k], ray);
        gathers.hits[k] = hit;
    }
};

template <SceneClass kClass>
inline constexpr std::uint32_t kPathWords =
    kClass == SceneClass::simple ? kWordsOfPlainPath : Records<PathRay>::kWords;
template <SceneClass kClass>
inline constexpr std::uint32_t kRayWords =
    kClass == SceneClass::simple ? kWordsOfPlainRay : Records<Ray>::kWords;

template <SceneClass kClass, GroupRange kRange>
TL_D PathTracerFrame seen_as(PathTracerFrame frame) {
    if (kClass != SceneClass::any) {
        frame.scene = seen_with<false>(frame.scene);
        frame.scene.has_textured_lights = false;
        frame.scene.leave_out_point_emission();
    }
    frame.scene.has_cutouts = false;  // no rays are traced here
    if (kClass == SceneClass::simple) {
        frame.scene.textures = nullptr;
        frame.scene.leave_out_colors();
        frame.scene.ggx = nullptr;
    }
    frame.only_plain_hits = kRange == GroupRange::plain;
    if (frame.only_plain_hits) frame.scene.ggx = nullptr;
    return frame;
}

/// Shades the hit of the ray at slot `place` of the queue.
template <SceneClass kClass, GroupRange kRange, bool kGather, class Step>
TL_D TL_ALWAYS_INLINE void shade_hit(const ShadeJob& job, std::uint32_t place, const Hit& hit,
                                     Step& step) {
    const PathTracerFrame frame = seen_as<kClass, kRange>(job.frame);
    PathFollower follower(frame);
    PathState state = job.from.load<kPathWords<kClass>>(place, job.is_first);
    if (kGather && job.is_first)
        state.history.n_path_slots = static_cast<std::uint16_t>(frame.splitting.n_path_slots);
    vec4& sum = job.sums[state.ray.pixel];
    if (kRange != GroupRange::plain && !hit.found())
        return add_to_sum(sum, vec4(follower.miss(state), 0));
    step.pixel = state.ray.pixel;
    vec3 found = follower.shade(state, hit, step);
    add_to_sum(sum, vec4(found, step.n_rays));
}

/// Shades a hit as shade_hit does, and appends its rays to the queues immediately.
template <SceneClass kClass, GroupRange kRange, bool kGather>
TL_D TL_ALWAYS_INLINE void shade_and_append(const ShadeJob& job, std::uint32_t place,
                                            const Hit& hit) {
    QueuedStep step{job.shadows, job.to, job.counts};
    if constexpr (kGather) {
        GatheringStep gathering{step, job.gathers};
        shade_hit<kClass, kRange, kGather>(job, place, hit, gathering);
    } else {
        shade_hit<kClass, kRange, kGather>(job, place, hit, step);
    }
}

#if defined(__CUDACC__)

/// Output of a hit's shading (callbacks of PathFollower), stored until the block appends it.
template <int kThreads, std::uint32_t kRayWords>
struct KeptStep {
    struct Shared {
        uint4 ray[kRayWords][kThreads];
        ArrivingLight light[kThreads];
    };
    Shared& shared;
    std::uint32_t rank;  ///< of the thread in its block
    std::uint32_t pixel = 0, n_rays = 0;
    bool has_shadow = false, continues = false;
    PathState next_state;

    // In shared memory the shadow ray takes no registers while the BSDF is sampled.
    __device__ void direct(const DirectSample& sample) {
        uint4 words[Records<Ray>::kWords];
        memcpy(words, &sample.shadow_ray, sizeof(Ray));
        for (std::uint32_t k = 0; k < kRayWords; ++k) shared.ray[k][rank] = words[k];
        store_vectorized(shared.light[rank], {sample.radiance, pixel});
        has_shadow = true;
        ++n_rays;
    }
    [[nodiscard]] __device__ Ray shadow_ray() const {
        Ray ray;
        uint4 words[Records<Ray>::kWords];
        memcpy(words, &ray, sizeof(Ray));
        for (std::uint32_t k = 0; k < kRayWords; ++k) words[k] = shared.ray[k][rank];
        memcpy(&ray, words, sizeof(Ray));
        return ray;
    }
    __device__ void next(const PathState& state) {
        if (&state != &next_state) next_state = state;
        continues = true;
        ++n_rays;
    }
};

/// Shades the hits of the groups in kRanges, one range after the other. The threads of a block
/// synchronise after each hit and then append their rays together. Warps thus run about the same
/// code and share instruction fetches, which take much of the time.
template <int kThreads_, SceneClass kClass, bool kGather, GroupRange... kRanges>
struct ShadeInBlocks {
    static constexpr int kThreads = kThreads_;
    using Append = BlockAppend<kThreads, 2>;
    using Step = KeptStep<kThreads, kRayWords<kClass>>;
    struct Shared {
        std::uint32_t sizes[kHitGroups];
        typename Append::Shared append;
        typename Step::Shared step;
    };
    ShadeJob job;

    __device__ __forceinline__ void operator()(const Block<kThreads>& block, Shared& shared) const {
        if (block.rank < kHitGroups) shared.sizes[block.rank] = job.sizes[block.rank].n;
        const Append append(block, shared.append);
        std::uint32_t n_before = 0;  // block-sized batches of the ranges before
        (shade_range<kRanges>(block, shared, append, n_before), ...);
    }

  private:
    template <GroupRange kRange>
    __device__ __forceinline__ void shade_range(const Block<kThreads>& block, Shared& shared,
                                                const Append& append,
                                                std::uint32_t& n_before) const {
        std::uint32_t n = 0;
        for (std::uint32_t group = 0; group < kHitGroups; ++group)
            if (is_within(static_cast<HitGroup>(group), kRange)) n += shared.sizes[group];
        // The blocks that had one batch less in the ranges before get the first ones.
        const std::uint32_t step_size = block.n_blocks * block.size;
        std::uint32_t first = (block.index + block.n_blocks - n_before % block.n_blocks) %
                              block.n_blocks * block.size;
        n_before += (n + block.size - 1) / block.size;
        auto place_of = [&](std::uint32_t i) {
            return i < n ? job.groups.hit<kRange>(shared.sizes, i) : Hit::kNone;
        };
        std::uint32_t place = place_of(first + block.rank);
        std::uint32_t next_place = place_of(first + step_size + block.rank);
        Hit hit;
        if (place != Hit::kNone) hit = job.hits[place];
        for (; first < n; first += step_size) {
            if constexpr (kGather) {
                if (place != Hit::kNone) shade_and_append<kClass, kRange, true>(job, place, hit);
                block.sync();
                prepare(next_place, hit);
            } else {
                Step step{shared.step, block.rank};
                if (place != Hit::kNone) shade_hit<kClass, kRange, false>(job, place, hit, step);
                prepare(next_place, hit);
                std::uint32_t places[2];
                append({&job.counts[0].n_shadows, &job.counts[1].n_paths},
                       {step.has_shadow, step.continues}, places);
                if (step.has_shadow)
                    job.shadows.store<kRayWords<kClass>>(
                        places[0], step.shadow_ray(),
                        load_vectorized(shared.step.light[block.rank]));
                if (step.continues) job.to.store<kPathWords<kClass>>(places[1], step.next_state);
            }
            place = next_place;
            next_place = place_of(first + 2 * step_size + block.rank);
        }
    }
    /// Loads the next hit and prefetches its path while the block waits.
    __device__ __forceinline__ void prepare(std::uint32_t place, Hit& hit) const {
        if (place == Hit::kNone) return;
        hit = job.hits[place];
        job.from.prefetch<kPathWords<kClass>>(place, job.is_first);
    }
};

template <int kThreads, int kBlocks, SceneClass kClass, bool kGather, GroupRange... kRanges>
void shade_in_blocks(Stream& stream, const ShadeJob& job) {
    using Op = ShadeInBlocks<kThreads, kClass, kGather, kRanges...>;
    launch_blocks<kThreads, typename Op::Shared, kBlocks>(
        stream, "shade paths", blocks_in_step<kThreads, kBlocks>(stream, job.capacity), Op{job});
}

#endif

template <SceneClass kClass, bool kGather>
void shade_paths(Stream& stream, const ShadeJob& job) {
#if defined(__CUDACC__)
    // Threads per block and resident blocks limit registers. Many small blocks wait less at
    // barriers.
    constexpr GroupRange kPlain = GroupRange::plain, kRest = GroupRange::rest;
    if constexpr (kClass == SceneClass::simple)
        shade_in_blocks<160, 4, kClass, kGather, kRest, kPlain>(stream, job);
    else if constexpr (kClass == SceneClass::textured)
        shade_in_blocks<128, 4, kClass, kGather, kRest, kPlain>(stream, job);
    else
        shade_in_blocks<128, 4, kClass, kGather, GroupRange::all>(stream, job);
#else
    for_each_entry(stream, "shade paths", &job.counts->n_paths, job.capacity,
                   [&job](std::uint32_t i) {
                       shade_and_append<kClass, GroupRange::all, kGather>(job, i, job.hits[i]);
                   });
#endif
}

TL_DEVICE_END
