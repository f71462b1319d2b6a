#include "renderer/photon/trace_photons.h"

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/paths/path_place.h"
#include "renderer/paths/path_queues.h"
#include "renderer/paths/path_rays.h"
#include "renderer/shading/emission.h"

TL_DEVICE_BEGIN

namespace {

/// In the depth of a photon's ray: whether a surface that scatters broadly has turned it.
constexpr std::uint32_t kScattered = 0x80;

/// By how much light from a source is weighed at a surface whose shading normal is not that of its
/// geometry, apart from what the BSDF says of light that is sought from the camera (Veach 1996,
/// "Non-symmetric scattering in light transport algorithms").
TL_D float shading_weight(vec3 shading, vec3 geometric, vec3 to_source, vec3 onward) {
    if (shading == geometric) return 1;
    // At grazing angles few photons would carry much.
    constexpr float kMost = 8;
    float above = fabsf(fused_dot(to_source, shading) * fused_dot(onward, geometric));
    float below = fabsf(fused_dot(to_source, geometric) * fused_dot(onward, shading));
    return above < kMost * below ? above / below : kMost;
}

/// One bounce of one photon.
struct MeetSurface {
    PhotonPass pass;
    PhotonList list;
    View<const PathRay> rays;
    View<const Hit> hits;
    View<PathRay> next;
    std::uint32_t* n_next;

    TL_D void operator()(std::uint32_t i) const {
        PathRay ray = load_whole(rays[i]);
        Hit hit = hits[i];
        if (!hit.found()) return;
        const SceneView& scene = pass.scene;
        PathHit h = path_hit(scene, ray, hit);
        PathNumbers numbers(Sampler(pass.pattern, pass.seed, pass.pass, ray.pixel, ray.path));
        if (is_smooth_specular(scene, *h.surface.material)) {
            BouncedRay bounced;
            if (choose_bounce(scene, ray, h, numbers.choice(), bounced))
                go_on(ray, bounced_ray(ray, h, bounced), numbers);
            return;
        }
        PathPlace at = path_place(scene, ray, hit, h, false);
        if (!at.face.is_real)
            return go_on(ray,
                         bounced_ray(ray, h, {ray.direction, h.passed, 1, at.face.beyond, h.cone}),
                         numbers);
        std::uint32_t n_met = (ray.depth() & ~kScattered) + 1;
        bool is_broad = at.bsdf.has_broad();
        if (is_broad && n_met > 1) store(ray, h, n_met);
        if (n_met < pass.max_depth) scatter(ray, h, at, is_broad, numbers);
    }
    TL_D void store(const PathRay& ray, const PathHit& h, std::uint32_t n_met) const {
        std::uint32_t k = atomic_append(list.count);
        if (k >= list.photons.size) return;
        Photon photon;
        photon.position = h.surface.position;
        photon.direction = pack_direction<16>(ray.direction);
        photon.power = ray.weight * h.passed / static_cast<float>(pass.n_photons);
        photon.surface = Photon::surface_of(h.side, n_met, !(ray.depth() & kScattered));
        store_whole(list.photons[k], photon);
        list.ids[k] = ray.pixel << PhotonPass::kMetBits | (n_met - 1);
    }
    TL_D void scatter(const PathRay& ray, const PathHit& h, const PathPlace& at, bool is_broad,
                      const PathNumbers& numbers) const {
        BsdfSample s;
        if (!at.bsdf.sample(at.lit.to_viewer, numbers.choice(), numbers.direction(), s) ||
            !is_open(h, at, s.direction))
            return;
        bool through = fused_dot(at.lit.normal, s.direction) <= 0;
        // The BSDF is that of radiance, which refraction compresses; power stays what it is.
        float weight = shading_weight(at.lit.normal, h.side, at.lit.to_viewer, s.direction) /
                       (through ? at.face.eta * at.face.eta : 1.0f);
        std::uint32_t depth = (ray.depth() + 1) | (is_broad ? kScattered : 0);
        go_on(ray,
              {origin_towards(h, at, s.direction), ray.pixel, s.direction,
               next_path(ray.path, through ? 1 : 0), ray.weight * h.passed * s.weight * weight,
               depth << Media::kBits | (through ? at.face.beyond : ray.media()).bits,
               PackedCone::of(h.cone), h.surface.place},
              numbers);
    }
    /// Appends the ray that follows `ray`, or ends the photon.
    TL_D void go_on(const PathRay& ray, PathRay onward, const PathNumbers& numbers) const {
        if ((onward.depth() & ~kScattered) >= pass.max_depth) return;
        float keep = minimum(largest(onward.weight) / largest(ray.weight), 1.0f);
        if (!(numbers.roulette() < keep)) return;
        onward.weight /= keep;
        store_whole(next[atomic_append(n_next)], onward);
    }
};

}  // namespace

void trace_photons(Scratch& scratch, const PhotonPass& pass, const PhotonList& list) {
    auto& stream = scratch.stream();
    stream.device().fill_zero(stream, list.count, sizeof(std::uint32_t));
    Scratch::Scope scope(scratch);
    std::uint32_t n = pass.n_photons;
    View<PathRay> queues[2] = {scratch.take<PathRay>(n), scratch.take<PathRay>(n)};
    View<Hit> hits = scratch.take<Hit>(n);
    View<std::uint32_t> counts = scratch.take<std::uint32_t>(pass.max_depth + 1);
    stream.device().fill_zero(stream, counts.data, counts.size * sizeof(std::uint32_t));
    PhotonPass given = pass;
    View<PathRay> first = queues[0];
    parallel_for(
        stream, "emit photons", n, TL_LAMBDA(std::uint32_t i) {
            Sampler sampler(given.pattern, given.seed, given.pass, i);
            vec2 source = sampler.next(), place = sampler.next(), direction = sampler.next();
            EmittedRay light;
            if (!emit_light(given.scene, *given.around, source, place, direction, light)) return;
            store_whole(first[atomic_append(&counts[0])],
                        PathRay{light.origin, i, light.direction, 1, light.power, 0,
                                PackedCone::of({0, 0})});
        });
    for (std::uint32_t level = 0; level < pass.max_depth; ++level) {
        View<const PathRay> rays = queues[level % 2];
        const std::uint32_t* count = &counts[level];
        if (pass.scene.has_cutouts)
            trace_path_rays(stream, pass.scene, rays, count, hits);
        else
            trace_closest(scratch, "photon rays", pass.scene.tree, RayRecords(rays, count),
                          {hits, {}, {}});
        const MeetSurface meet{pass, list, rays, hits, queues[(level + 1) % 2], &counts[level + 1]};
        for_each_entry(stream, "photon hits", count, n, meet);
    }
}

TL_DEVICE_END
