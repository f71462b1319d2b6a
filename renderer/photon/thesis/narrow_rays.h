// Specular path tracing: rays continue through mirrors, glass and narrow glossy lobes up to a
// surface with a diffuse or rough lobe. All advance together, bounce by bounce.
#pragma once

#include "renderer/path/follow_path.h"
#include "renderer/path/path_queues.h"
#include "renderer/path/path_rays.h"

TL_DEVICE_BEGIN

/// State of a ray after its hit.
enum class NarrowStep {
    arrived,  ///< at a surface with a diffuse or rough lobe
    continues,
    ends,
};

/// Ray continued in a sampled direction, its throughput multiplied by `weight`.
TL_D inline PathRay scattered_ray(const PathRay& ray, const PathHit& h,
                                  const SurfaceInteraction& at, const BsdfSample& s, vec3 weight) {
    bool through = fused_dot(at.lit.normal, s.direction) <= 0;
    return {origin_towards(h, at, s.direction),
            ray.pixel,
            s.direction,
            next_path_id(ray.path_id, through ? 1 : 0),
            ray.throughput * h.transmittance * weight,
            (ray.depth() + 1) << Media::kBits | (through ? at.face.beyond : ray.media()).bits,
            PackedCone::of(h.cone),
            h.surface.on_patch};
}

/// Advances a ray from its hit to `next`, or sets `at` where it has arrived.
TL_D inline NarrowStep narrow_step(const PathTracerFrame& frame, const PathRay& ray, const Hit& hit,
                                   const PathHit& h, const PathNumbers& numbers,
                                   SurfaceInteraction& at, PathRay& next) {
    const SceneView& scene = frame.scene;
    if (is_smooth_specular(scene, *h.surface.material)) {
        BouncedRay bounced;
        if (!choose_bounce(scene, ray, h, numbers.choice(), bounced)) return NarrowStep::ends;
        if (bounced.branch == 1) {
            Interface face = interface_at(scene, ray.media(), *h.surface.material, h.from_inside);
            bounced.weight *= face.is_real ? face.eta * face.eta : 1.0f;
        }
        next = bounced_ray(ray, h, bounced);
        return NarrowStep::continues;
    }
    at = surface_interaction(scene, ray, hit, h, frame.limits.smooth_terminator);
    if (!at.face.is_real) {
        next = bounced_ray(ray, h, {ray.direction, h.transmittance, 1, at.face.beyond, h.cone});
        return NarrowStep::continues;
    }
    if (at.bsdf.has_wide()) return NarrowStep::arrived;
    BsdfSample s;
    if (!at.bsdf.sample(at.lit.to_viewer, numbers.choice(), numbers.direction(), s) ||
        !is_open(h, at, s.direction))
        return NarrowStep::ends;
    next = scattered_ray(ray, h, at, s, s.weight);
    return NarrowStep::continues;
}

/// Rays of a bounce; their number is on the device.
struct SharpQueue {
    View<PathRay> rays;
    std::uint32_t* count;

    TL_D void append(const PathRay& ray) const {
        store_vectorized(rays[atomic_append(count)], ray);
    }
};

/// Double-buffered ray queues, and the launches of each bounce.
struct SharpWaves {
    /// Most bounces: light on longer paths is lost.
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
    /// Queue of the first bounce, to be filled by the caller.
    [[nodiscard]] SharpQueue first() const { return {rays[0], &counts[0]}; }

    /// Calls meet(ray, hit, PathHit, next) for each hit of a bounce. Where it returns true, `next`
    /// continues. `most_depth`: most bounces, limited to kMostBounces.
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
                    PathRay ray = load_vectorized(from[i]), next;
                    Hit hit = hits[i];
                    PathHit h = path_hit(scene, ray, hit);
                    if (meet(ray, hit, h, next)) to.append(next);
                });
        }
    }
};

TL_DEVICE_END
