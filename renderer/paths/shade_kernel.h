// The kernels of shade_paths. Where surfaces differ much in their cost, a block of a GPU sorts its
// entries by what will be done with them, so that the threads of a warp mostly do the same.
#pragma once

#include "accel/parallel/block.h"
#include "renderer/paths/shade_paths.h"

TL_DEVICE_BEGIN

/// What a hit does to a path, appended to the queues.
struct QueuedStep {
    const ShadowQueue& shadows;
    const PathQueue& paths;
    WaveCounts* counts;  ///< of this bounce, and the next one's after them
    std::uint32_t pixel;
    std::uint32_t n_rays = 1;  ///< with the path's own

    TL_D void direct(const DirectSample& light) {
        std::uint32_t k = atomic_append(&counts[0].n_shadows);
        store_whole(shadows.rays[k], light.shadow_ray);
        store_whole(shadows.light[k], {light.radiance, pixel});
        ++n_rays;
    }
    TL_D void next(const PathTip& tip) const {
        paths.store(atomic_append(&counts[1].n_paths), tip);
    }
};

/// The same for paths that gather.
struct GatheringStep : QueuedStep {
    const GatherQueue& gathers;

    TL_D void gather(const PathRay& ray, const Hit& hit, const PathHit& h,
                     const PathPlace& at) const {
        if (at.bsdf.is_broad_lambert() && at.lit.normal == h.side) {
            EvenPlace place{h.surface.position, EvenPlace::surface_of(h.side, ray.depth()),
                            ray.weight * h.passed * at.bsdf.albedo / kPi, ray.pixel};
            return store_whole(gathers.even[atomic_append(&counts[0].n_even)], place);
        }
        std::uint32_t k = atomic_append(&counts[0].n_uneven);
        store_whole(gathers.rays[k], ray);
        gathers.hits[k] = hit;
    }
};

template <SceneClass kClass>
TL_D PathTracerFrame seen_as(PathTracerFrame frame) {
    if (kClass != SceneClass::any) {
        frame.scene = seen_with<false>(frame.scene);
        frame.scene.has_textured_lights = false;
    }
    frame.scene.has_cutouts = false;  // no rays are traced here
    if (kClass == SceneClass::simple) {
        frame.scene.textures = nullptr;
        frame.scene.leave_out_colors();
        frame.scene.ggx = nullptr;
    }
    return frame;
}

/// Shades entry `i` of the queue.
template <SceneClass kClass, bool kGather>
struct ShadeEntry {
    ShadeJob job;

    TL_D void operator()(std::uint32_t i) const {
        const PathTracerFrame frame = seen_as<kClass>(job.frame);
        PathFollower follower(frame);
        PathTip tip = job.from.load(i, job.is_first);
        if (kGather && job.is_first)
            tip.trail.n_lanes = static_cast<std::uint16_t>(frame.limits.n_lanes);
        Hit hit = job.hits[i];
        vec4& sum = job.sums[tip.ray.pixel];
        if (!hit.found()) {
            sum += vec4(follower.miss(tip), 1);
            return;
        }
        QueuedStep step{job.shadows, job.to, job.counts, tip.ray.pixel};
        if constexpr (kGather) {
            GatheringStep gathering{step, job.gathers};
            vec3 found = follower.meet(tip, hit, gathering);
            sum += vec4(found, gathering.n_rays);
        } else {
            vec3 found = follower.meet(tip, hit, step);
            sum += vec4(found, step.n_rays);
        }
    }
};

#if defined(__CUDACC__)

/// Resident blocks of the kernel without sorting.
inline constexpr int kSimpleBlocks = 6;
/// Threads of a block that sorts, and resident blocks.
inline constexpr int kSortedThreads = 256, kSortedBlocks = 2;

/// Groups of hits with which about the same is done; below kShadeGroups.
inline constexpr std::uint32_t kShadeGroups = 8;
TL_D inline std::uint32_t shade_group(const SceneView& scene, const Hit& hit) {
    if (!hit.found()) return 0;
    const MaterialData& m = material_at(scene, hit);
    if (m.layers >= 0) return 7;
    bool rough = scene.ggx && m.alpha > 0;
    return 1 + static_cast<std::uint32_t>(m.kind) + (rough && sends_rays_on(m) ? 2 : 0);
}

template <SceneClass kClass, bool kGather>
struct ShadeBlock {
    struct Shared {
        std::uint32_t n_of[kShadeGroups + 1];  ///< of each group; then of threads without an entry
        std::uint32_t order[kSortedThreads];
    };
    ShadeEntry<kClass, kGather> shade;

    TL_D void operator()(const Block<kSortedThreads>& block, Shared& shared) const {
        std::uint32_t n = shade.job.counts->n_paths;
        for (std::uint32_t first = block.index * block.size; first < n;
             first += block.n_blocks * block.size) {
            std::uint32_t i = first + sorted(block, shared, first, n);
            if (i < n) shade(i);
        }
    }
    /// The entry of [0, block.size) that this thread takes.
    TL_D std::uint32_t sorted(const Block<kSortedThreads>& block, Shared& shared,
                              std::uint32_t first, std::uint32_t n) const {
        if (block.rank <= kShadeGroups) shared.n_of[block.rank] = 0;
        block.sync();
        std::uint32_t i = first + block.rank;
        std::uint32_t group =
            i < n ? shade_group(seen_as<kClass>(shade.job.frame).scene, shade.job.hits[i])
                  : kShadeGroups;
        std::uint32_t place = atomic_add(&shared.n_of[group], 1);
        block.sync();
        for (std::uint32_t k = 0; k < group; ++k) place += shared.n_of[k];
        shared.order[place] = block.rank;
        block.sync();
        return shared.order[block.rank];
    }
};

template <SceneClass kClass, bool kGather>
void shade_sorted(Stream& stream, const ShadeEntry<kClass, kGather>& shade) {
    using Sorted = ShadeBlock<kClass, kGather>;
    std::uint32_t n_threads = std::min(shade.job.capacity, kQueueThreads);
    launch_blocks<kSortedThreads, typename Sorted::Shared, kSortedBlocks>(
        stream, "shade paths", (n_threads + kSortedThreads - 1) / kSortedThreads, Sorted{shade});
}

#endif

template <SceneClass kClass, bool kGather>
void shade_paths(Stream& stream, const ShadeJob& job) {
    const ShadeEntry<kClass, kGather> shade{job};
#if defined(__CUDACC__)
    // What sorting saves in simple scenes is less than it costs.
    if constexpr (kClass != SceneClass::simple)
        shade_sorted(stream, shade);
    else
        for_each_entry<kSimpleBlocks>(stream, "shade paths", &job.counts->n_paths, job.capacity,
                                      shade);
#else
    for_each_entry(stream, "shade paths", &job.counts->n_paths, job.capacity, shade);
#endif
}

TL_DEVICE_END
