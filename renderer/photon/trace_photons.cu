#include "renderer/photon/trace_photons.h"

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

/// The numbers that a photon's ray is drawn by, before they are guided.
TL_D EmissionNumbers emission_numbers(const PhotonPass& pass, std::uint32_t photon) {
    Sampler sampler(pass.pattern, pass.seed, pass.pass, photon);
    EmissionNumbers numbers;
    numbers.source = sampler.next();
    numbers.place = sampler.next();
    numbers.direction = sampler.next();
    numbers.choice = sampler.next().x;
    return numbers;
}

/// One bounce of one photon.
struct MeetSurface {
    PhotonPass pass;
    PhotonList list;
    PhotonGuide guide;  ///< by which they have been sent
    GuideRecord record;
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
        PathNumbers numbers(pass.pattern, pass.seed, pass.pass, ray.pixel, ray.path);
        if (is_smooth_specular(scene, *h.surface.material)) {
            BouncedRay bounced{};
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
        if (is_broad && (n_met > 1 || pass.with_direct)) store(ray, h, n_met);
        if (n_met < pass.max_depth && !(is_broad && pass.caustics_only))
            scatter(ray, h, at, is_broad, numbers);
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
        bool is_counted = ray.pixel < record.n_counted && (!guide.densities || guide.is_used());
        if (n_met > 1 && is_counted) count(ray.pixel);
    }
    TL_D void count(std::uint32_t photon) const {
        EmissionNumbers numbers = emission_numbers(pass, photon);
        guide.move_source(numbers);
        const PhotonSources& sources = pass.scene.photon_sources;
        float rest;
        std::uint32_t source = draw_alias(sources.table, sources.n, numbers.source, rest);
        float weight = guide.move_ray(source, numbers);
        auto parts = static_cast<std::uint32_t>(weight * GuideRecord::kOne + 0.5f);
        std::uint32_t group = source % kGuideGroups;
        atomic_add(&record.counts->source.at(numbers.source), parts);
        atomic_add(&record.counts->direction[group].at(numbers.direction), parts);
        atomic_add(&record.counts->place[group].at(numbers.place), parts);
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

/// Traces the photons [first, first + n) of a pass.
struct PhotonWaves {
    Scratch& scratch;
    const PhotonPass& pass;
    const PhotonList& list;
    View<PathRay> queues[2];
    View<Hit> hits;
    View<std::uint32_t> counts;  ///< rays of each bounce

    PhotonWaves(Scratch& scratch, const PhotonPass& pass, const PhotonList& list)
        : scratch(scratch),
          pass(pass),
          list(list),
          queues{scratch.take<PathRay>(pass.n_photons), scratch.take<PathRay>(pass.n_photons)},
          hits(scratch.take<Hit>(pass.n_photons)),
          counts(scratch.take<std::uint32_t>(pass.max_depth + 1)) {}

    void trace(std::uint32_t first, std::uint32_t n, const PhotonGuide& guide,
               const GuideRecord& record) {
        auto& stream = scratch.stream();
        stream.device().fill_zero(stream, counts.data, counts.size * sizeof(std::uint32_t));
        emit(first, n, guide);
        for (std::uint32_t level = 0; level < pass.max_depth; ++level) {
            View<const PathRay> rays = queues[level % 2];
            const std::uint32_t* count = &counts[level];
            trace_path_rays(scratch, "photon rays", pass.scene, rays, count, hits);
            const MeetSurface meet{
                pass, list, guide, record, rays, hits, queues[(level + 1) % 2], &counts[level + 1]};
            for_each_entry(stream, "photon hits", count, n, meet);
        }
    }
    void emit(std::uint32_t first, std::uint32_t n, const PhotonGuide& guide) {
        if (pass.scene.tree.patches.empty())
            emit_seen<false>(first, n, guide);
        else
            emit_seen<true>(first, n, guide);
    }
    template <bool kPatches>
    void emit_seen(std::uint32_t first, std::uint32_t n, const PhotonGuide& guide) {
        PhotonPass given = pass;
        PhotonGuide guiding = guide;
        View<PathRay> rays = queues[0];
        std::uint32_t* count = &counts[0];
        parallel_for(
            scratch.stream(), "emit photons", n, TL_LAMBDA(std::uint32_t k) {
                std::uint32_t i = first + k;
                EmissionNumbers numbers = emission_numbers(given, i);
                guiding.move_source(numbers);
                EmittedRay light;
                auto move = [&](std::uint32_t source, vec2& place, vec2& direction) {
                    float weight = guiding.move_ray(source, numbers);
                    place = numbers.place;
                    direction = numbers.direction;
                    return weight;
                };
                SceneView scene = seen_with<kPatches>(given.scene);
                if (!emit_light(scene, *given.around, numbers.source, numbers.place,
                                numbers.direction, move, light))
                    return;
                store_whole(rays[atomic_append(count)],
                            PathRay{light.origin, i, light.direction, 1, light.power, 0,
                                    PackedCone::of({0, 0}), light.from});
            });
    }
};

}  // namespace

void trace_photons(Scratch& scratch, const PhotonPass& pass, const PhotonList& list,
                   LearnedGuide* guide) {
    // The part of a pass of which a guide learns, and the least that tells it anything.
    constexpr std::uint32_t kPart = 4, kLeast = 2048;
    auto& stream = scratch.stream();
    stream.device().fill_zero(stream, list.count, sizeof(std::uint32_t));
    Scratch::Scope scope(scratch);
    PhotonWaves waves(scratch, pass, list);
    std::uint32_t n = pass.n_photons, n_first = n / kPart;
    if (!guide || n_first < kLeast || pass.scene.photon_sources.n == 0)
        return waves.trace(0, n, {}, {});
    GuideRecord record = guide->record(stream, n_first);
    bool knows = guide->has_learned();
    waves.trace(0, knows ? n : n_first, guide->guide(), record);
    guide->learn(stream, n_first, pass.scene.photon_sources.n);
    if (!knows) waves.trace(n_first, n - n_first, guide->guide(), {});
}

TL_DEVICE_END
