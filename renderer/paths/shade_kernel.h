// The kernels of shade_paths.
#pragma once

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

    TL_D TL_ALWAYS_INLINE void operator()(std::uint32_t i) const {
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

/// The same for entry job.order[i].
template <SceneClass kClass, bool kGather>
struct ShadeInOrder {
    ShadeEntry<kClass, kGather> shade;

    TL_D TL_ALWAYS_INLINE void operator()(std::uint32_t i) const { shade(shade.job.order[i]); }
};

template <SceneClass kClass, bool kGather>
void shade_paths(Stream& stream, const ShadeJob& job) {
    const ShadeEntry<kClass, kGather> shade{job};
    auto n = &job.counts->n_paths;
#if defined(__CUDACC__)
    // The numbers limit registers.
    if constexpr (kClass == SceneClass::simple) {
        for_each_entry_in_step<384, 2>(stream, "shade paths", n, job.capacity, shade);
    } else {
        for_each_entry_in_step<256, 2>(stream, "shade paths", n, job.capacity,
                                       ShadeInOrder<kClass, kGather>{shade});
    }
#else
    for_each_entry(stream, "shade paths", n, job.capacity, shade);
#endif
}

TL_DEVICE_END
