// Rays that mirrors, glass and narrow lobes send on until they arrive where light is looked up, all
// together, bounce by bounce.
#pragma once

#include "renderer/paths/follow_path.h"
#include "renderer/paths/path_queues.h"
#include "renderer/paths/path_rays.h"

TL_DEVICE_BEGIN

/// What becomes of a ray at its hit.
enum class SharpStep {
    arrived,  ///< at a surface that scatters broadly
    goes_on,
    ends,
};

/// The ray that goes on in a direction which the surface drew, with `weight` of its light.
TL_D inline PathRay scattered_ray(const PathRay& ray, const PathHit& h, const PathPlace& at,
                                  const BsdfSample& s, vec3 weight) {
    bool through = fused_dot(at.lit.normal, s.direction) <= 0;
    return {origin_towards(h, at, s.direction),
            ray.pixel,
            s.direction,
            next_path(ray.path, through ? 1 : 0),
            ray.weight * h.passed * weight,
            (ray.depth() + 1) << Media::kBits | (through ? at.face.beyond : ray.media()).bits,
            PackedCone::of(h.cone),
            h.surface.place};
}

/// Takes a ray from its hit to `next`, or sets `at` where it has arrived.
TL_D inline SharpStep sharp_step(const PathTracerFrame& frame, const PathRay& ray, const Hit& hit,
                                 const PathHit& h, const PathNumbers& numbers, PathPlace& at,
                                 PathRay& next) {
    const SceneView& scene = frame.scene;
    if (is_smooth_specular(scene, *h.surface.material)) {
        BouncedRay bounced;
        if (!choose_bounce(scene, ray, h, numbers.choice(), bounced)) return SharpStep::ends;
        if (bounced.branch == 1) {
            Interface face = interface_at(scene, ray.media(), *h.surface.material, h.from_inside);
            bounced.weight *= face.is_real ? face.eta * face.eta : 1.0f;
        }
        next = bounced_ray(ray, h, bounced);
        return SharpStep::goes_on;
    }
    at = path_place(scene, ray, hit, h, frame.limits.smooth_terminator);
    if (!at.face.is_real) {
        next = bounced_ray(ray, h, {ray.direction, h.passed, 1, at.face.beyond, h.cone});
        return SharpStep::goes_on;
    }
    if (at.bsdf.has_broad()) return SharpStep::arrived;
    BsdfSample s;
    if (!at.bsdf.sample(at.lit.to_viewer, numbers.choice(), numbers.direction(), s) ||
        !is_open(h, at, s.direction))
        return SharpStep::ends;
    next = scattered_ray(ray, h, at, s, s.weight);
    return SharpStep::goes_on;
}

/// Rays of a bounce, whose number only the device knows.
struct SharpQueue {
    View<PathRay> rays;
    std::uint32_t* count;

    TL_D void append(const PathRay& ray) const { store_whole(rays[atomic_append(count)], ray); }
};

/// The queues of rays that are followed together, and the launches.
struct SharpWaves {
    /// Most bounces: light on longer ways is lost.
    static constexpr int kMostBounces = 8;

    Scratch& scratch;
    SceneView scene;
    View<PathRay> rays[2];
    View<Hit> hits;
    View<std::uint32_t> counts;  ///< rays of each bounce

    SharpWaves(Scratch& scratch, const SceneView& scene, std::uint32_t n)
        : scratch(scratch),
          scene(scene),
          rays{scratch.take<PathRay>(n), scratch.take<PathRay>(n)},
          hits(scratch.take<Hit>(n)),
          counts(scratch.take<std::uint32_t>(kMostBounces + 1)) {
        auto& stream = scratch.stream();
        stream.device().fill_zero(stream, counts.data, counts.size * sizeof(std::uint32_t));
    }
    /// Where the first rays go.
    [[nodiscard]] SharpQueue first() const { return {rays[0], &counts[0]}; }

    /// Calls meet(ray, hit, PathHit, next) for each hit of a bounce; where it returns true, `next`
    /// goes on. `most_depth`: bounces of rays that are still followed.
    template <class Meet>
    void run(const char* name, int most_depth, const Meet& meet) {
        auto& stream = scratch.stream();
        auto n = static_cast<std::uint32_t>(hits.size);
        int n_bounces = std::min(most_depth, kMostBounces);
        for (int level = 0; level < n_bounces; ++level) {
            View<const PathRay> from = rays[level % 2];
            const std::uint32_t* count = &counts[static_cast<std::size_t>(level)];
            trace_path_rays(scratch, name, scene, from, count, hits);
            SharpQueue to{rays[(level + 1) % 2], &counts[static_cast<std::size_t>(level) + 1]};
            SceneView scene = this->scene;
            auto hits = this->hits;
            for_each_entry(
                stream, name, count, n, TL_LAMBDA(std::uint32_t i) {
                    if (!hits[i].found()) return;
                    PathRay ray = load_whole(from[i]), next;
                    Hit hit = hits[i];
                    PathHit h = path_hit(scene, ray, hit);
                    if (meet(ray, hit, h, next)) to.append(next);
                });
        }
    }
};

TL_DEVICE_END
