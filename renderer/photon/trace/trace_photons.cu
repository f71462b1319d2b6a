#include "renderer/photon/trace/trace_photons.h"

#include "renderer/path/path_queues.h"
#include "renderer/path/path_rays.h"
#include "renderer/path/surface_interaction.h"
#include "renderer/photon/gather/drawn_part.h"
#include "renderer/photon/trace/photon_beam.h"
#include "renderer/shading/emission.h"

TL_DEVICE_BEGIN

namespace {

/// Flag in the depth of a photon's ray: a diffuse or rough lobe has scattered it.
constexpr std::uint32_t kScattered = 0x80;
/// Specular surfaces that keep at least this fraction of a photon's power apply no Russian
/// roulette, which would leave gaps between photons.
constexpr float kSpecularKeep = 0.8f;

/// Correction factor for light from emitters at shading normals, on top of the BSDF for radiance
/// (Veach 1996, "Non-symmetric scattering in light transport algorithms").
TL_D float shading_weight(vec3 shading, vec3 geometric, vec3 to_source, vec3 onward) {
    if (shading == geometric) return 1;
    // Bounded: at grazing angles few photons would carry much power.
    constexpr float kMost = 8;
    float above = fabsf(fused_dot(to_source, shading) * fused_dot(onward, geometric));
    float below = fabsf(fused_dot(to_source, geometric) * fused_dot(onward, shading));
    return above < kMost * below ? above / below : kMost;
}

/// Random numbers that a photon's ray is drawn by, before guiding.
TL_D EmissionNumbers emission_numbers(const PhotonPass& pass, std::uint32_t photon) {
    Sampler sampler(pass.pattern, pass.seed, pass.pass, photon);
    EmissionNumbers numbers;
    numbers.source = sampler.next();
    numbers.place = sampler.next();
    numbers.direction = sampler.next();
    // The first photons are guided: successive points of the sequence are well distributed, a
    // random subset of them is not.
    numbers.choice = (static_cast<float>(photon) + 0.5f) / static_cast<float>(pass.n_photons);
    return numbers;
}

TL_D GuidedNumbers guided_numbers(const SceneView& scene, std::uint32_t source) {
    const PhotonSources& sources = scene.photon_sources;
    GuidedNumbers which;
    which.source = sources.table[source].probability < 1;
    if (source + 1 == sources.n) return which;
    LightKind kind = scene.lights[source].kind;
    which.place = kind != LightKind::point && kind != LightKind::spot;
    which.direction = kind != LightKind::directional;
    return which;
}

/// Photon rays and their differentials; the latter may be empty.
struct BeamRays {
    View<PathRay> rays;
    View<PhotonBeam> beams;

    BeamRays(Scratch& scratch, std::uint32_t n, bool with_beams)
        : rays(scratch.take<PathRay>(n)), beams(scratch.take<PhotonBeam>(with_beams ? n : 0)) {}
    [[nodiscard]] TL_D PhotonBeam beam(std::uint32_t i) const {
        return beams.empty() ? PhotonBeam{} : load_vectorized(beams[i]);
    }
    TL_D void store(std::uint32_t i, const PathRay& ray, const PhotonBeam& beam) const {
        store_vectorized(rays[i], ray);
        if (!beams.empty()) store_vectorized(beams[i], beam);
    }
};

/// One bounce of one photon. `kChoosesLobes`: PhotonPass::chooses_lobes, as a template parameter
/// since it costs registers.
template <bool kChoosesLobes>
struct MeetSurface {
    PhotonPass pass;
    PhotonList list;
    PhotonGuide guide;  ///< guide that the photons were emitted with
    GuideRecord record;
    BeamRays rays;
    View<const Hit> hits;
    BeamRays next;
    std::uint32_t* n_next;

    TL_D TL_ALWAYS_INLINE void operator()(std::uint32_t i) const {
        PathRay ray = load_vectorized(rays.rays[i]);
        Hit hit = hits[i];
        if (!hit.found()) return;
        const SceneView& scene = pass.scene;
        PathHit h = path_hit(scene, ray, hit);
        PhotonBeam beam = rays.beam(i);
        if (beam.is_known()) beam.arrive(ray.direction, hit.t, h.geometric_normal);
        PathNumbers numbers(pass.pattern, pass.seed, pass.pass, ray.pixel, ray.path_id);
        if (is_smooth_specular(scene, *h.surface.material))
            return bounce(ray, hit, h, beam, numbers);
        SurfaceInteraction at = surface_interaction(scene, ray, hit, h, false);
        if (!at.face.is_real)
            return continue_path(
                ray,
                bounced_ray(ray, h, {ray.direction, h.transmittance, 1, at.face.beyond, h.cone}),
                numbers, beam);
        std::uint32_t n_met = (ray.depth() & ~kScattered) + 1;  // as in continue_path
        bool is_wide_lobe = at.bsdf.has_wide();
        if (is_wide_lobe && (n_met > 1 || pass.with_direct)) store(ray, h, n_met, beam);
        if (n_met < pass.max_depth && !(is_wide_lobe && pass.caustics_only))
            scatter(ray, h, at, is_wide_lobe, numbers);
    }
    TL_D void store(const PathRay& ray, const PathHit& h, std::uint32_t n_met,
                    const PhotonBeam& beam) const {
        std::uint32_t k = atomic_append(list.count);
        if (k >= list.photons.size) return;
        Photon photon;
        photon.position = h.surface.position;
        photon.direction = pack_direction<16>(ray.direction);
        photon.power = ray.throughput * h.transmittance / static_cast<float>(pass.n_photons);
        photon.surface = Photon::surface_of(h.geometric_normal, n_met, !(ray.depth() & kScattered));
        store_vectorized(list.photons[k], photon);
        std::uint32_t number = ray.pixel & PhotonPass::kNumberMask;
        std::uint32_t branch = ray.pixel >> PhotonPass::kNumberBits;
        list.ids[k] =
            (number << PhotonPass::kBranchBits | branch) << PhotonPass::kMetBits | (n_met - 1);
        if (!list.shapes.empty() && Photon::is_caustic(photon.surface))
            store_vectorized(list.shapes[k], beam.is_known()
                                                 ? beam.shape(h.geometric_normal, pass.kernel)
                                                 : PhotonShape{});
        bool is_counted = record.counts && number % record.every == 0;
        if (n_met > 1 && is_counted && (!guide.densities || guide.is_used())) count(number);
    }
    /// Scatters a photon at a smooth specular surface. At its first surfaces a photon with
    /// differentials follows both the reflected and the refracted ray. Choosing one at random would
    /// leave gaps between the photons of the other.
    TL_D void bounce(const PathRay& ray, const Hit& hit, const PathHit& h, PhotonBeam beam,
                     const PathNumbers& numbers) const {
        const Bounces bounces(pass.scene, ray, h);
        if (!(bounces.first_weight > 0)) return;
        std::uint32_t n_before = ray.depth();
        bool is_unsplit = ray.pixel <= PhotonPass::kNumberMask;
        bool both = beam.is_known() && bounces.second_weight > 0 && is_unsplit &&
                    n_before < PhotonPass::kMostSplits;
        if (!both) {
            float share;
            BouncedRay drawn = bounces.drawn(numbers.choice(), &share);
            beam.thin_out(share);
            return follow(ray, hit, h, beam, drawn, 0, numbers);
        }
        bool is_first = bounces.first_weight >= bounces.second_weight;
        follow(ray, hit, h, beam, is_first ? bounces.first : bounces.second, 0, numbers);
        // The weaker ray is kept at random, so that kept rays have a photon's power.
        BouncedRay weaker = is_first ? bounces.second : bounces.first;
        float weight = is_first ? bounces.second_weight : bounces.first_weight;
        float share = weight / (bounces.first_weight + bounces.second_weight);
        if (!(numbers.choice() < share)) return;
        weaker.weight /= share;
        beam.thin_out(share);
        follow(ray, hit, h, beam, weaker, n_before + 1, numbers);
    }
    TL_D void follow(const PathRay& ray, const Hit& hit, const PathHit& h, PhotonBeam beam,
                     const BouncedRay& bounced, std::uint32_t branch,
                     const PathNumbers& numbers) const {
        if (beam.is_known()) beam.bounce(pass.scene, ray, hit, h, bounced);
        PathRay onward = bounced_ray(ray, h, bounced);
        onward.pixel |= branch << PhotonPass::kNumberBits;
        continue_path(ray, onward, numbers, beam, kSpecularKeep);
    }
    TL_D void count(std::uint32_t photon) const {
        EmissionNumbers numbers = emission_numbers(pass, photon);
        guide.move_source(numbers);
        const PhotonSources& sources = pass.scene.photon_sources;
        std::uint32_t source = draw_alias(sources.table, sources.n, numbers.source);
        float weight = guide.move_ray(source, guided_numbers(pass.scene, source), numbers);
        auto parts = static_cast<std::uint32_t>(weight * GuideRecord::kOne + 0.5f);
        std::uint32_t group = source % kGuideGroups;
        atomic_add(&record.counts->source.at(numbers.source), parts);
        atomic_add(&record.counts->direction[group].at(numbers.direction), parts);
        atomic_add(&record.counts->place[group].at(numbers.place), parts);
    }
    TL_D void scatter(const PathRay& ray, const PathHit& h, const SurfaceInteraction& at,
                      bool is_wide_lobe, const PathNumbers& numbers) const {
        BsdfSample s;
        if (!at.bsdf.sample(at.lit.to_viewer, numbers.choice(), numbers.direction(), s) ||
            !is_open(h, at, s.direction))
            return;
        bool through = fused_dot(at.lit.normal, s.direction) <= 0;
        // The BSDF is that of radiance, which refraction scales by eta^2. Power is unchanged.
        float weight =
            shading_weight(at.lit.normal, h.geometric_normal, at.lit.to_viewer, s.direction) /
            (through ? at.face.eta * at.face.eta : 1.0f);
        DrawnPart part{!is_wide_lobe, vec3(1)};
        if constexpr (kChoosesLobes)
            part = draw_part(at.bsdf.narrow_share(at.lit.to_viewer, s), numbers.light());
        std::uint32_t depth = (ray.depth() + 1) | (part.is_narrow ? 0 : kScattered);
        continue_path(ray,
                      {origin_towards(h, at, s.direction), ray.pixel, s.direction,
                       next_path_id(ray.path_id, through ? 1 : 0),
                       ray.throughput * h.transmittance * s.weight * weight * part.weight,
                       depth << Media::kBits | (through ? at.face.beyond : ray.media()).bits,
                       PackedCone::of(h.cone), h.surface.on_patch},
                      numbers, {});
    }
    /// Appends the continued ray, or terminates the photon by Russian roulette. Never terminates it
    /// where at least the fraction `surely` of its power is kept.
    TL_D void continue_path(const PathRay& ray, PathRay onward, const PathNumbers& numbers,
                            PhotonBeam beam, float surely = 1) const {
        if ((onward.depth() & ~kScattered) >= pass.max_depth) return;
        float keep = minimum(largest(onward.throughput) / largest(ray.throughput), 1.0f);
        if (keep < surely) {
            if (!(numbers.roulette() < keep)) return;
            onward.throughput /= keep;
            beam.thin_out(keep);
        }
        next.store(atomic_append(n_next), onward, beam);
    }
};

/// Photons traced in one batch. On a CPU their rays fit its caches. On a GPU only photons that may
/// split are limited, which leaves memory for others.
#if defined(__CUDACC__)
constexpr std::uint32_t kTogether = ~0u, kSplitTogether = kMostSplitTogether;
#else
constexpr std::uint32_t kTogether = 1u << 14, kSplitTogether = kTogether;
#endif

/// Traces the photons of a pass, in batches.
struct PhotonWaves {
    Scratch& scratch;
    const PhotonPass& pass;
    const PhotonList& list;
    /// n_together: photons per batch; capacity: rays per batch
    std::uint32_t n_together, capacity;
    BeamRays queues[2];
    View<Hit> hits;
    View<std::uint32_t> counts;  ///< rays of each bounce

    PhotonWaves(Scratch& scratch, const PhotonPass& pass, const PhotonList& list)
        : scratch(scratch),
          pass(pass),
          list(list),
          n_together(std::min(pass.n_photons, pass.splits() ? kSplitTogether : kTogether)),
          capacity(n_together * (pass.splits() ? 1 + PhotonPass::kMostSplits : 1)),
          queues{{scratch, capacity, pass.has_beams()}, {scratch, capacity, pass.has_beams()}},
          hits(scratch.take<Hit>(capacity)),
          counts(scratch.take<std::uint32_t>(pass.max_depth + 1)) {}

    void trace(SharedRange range, const PhotonGuide& guide, const GuideRecord& record) {
        auto& stream = scratch.stream();
        stream.device().fill_zero(stream, list.count, sizeof(std::uint32_t));
        for (std::uint32_t first = range.begin; first < range.end; first += n_together)
            trace_some(first, std::min(n_together, range.end - first), guide, record);
    }
    /// Traces photons [first, first + n).
    void trace_some(std::uint32_t first, std::uint32_t n, const PhotonGuide& guide,
                    const GuideRecord& record) {
        auto& stream = scratch.stream();
        stream.device().fill_zero(stream, counts.data, counts.size * sizeof(std::uint32_t));
        emit(first, n, guide);
        for (std::uint32_t level = 0; level < pass.max_depth; ++level) {
            const BeamRays& rays = queues[level % 2];
            trace_path_rays(scratch, "photon rays", pass.scene, rays.rays, &counts[level], hits);
            if (pass.chooses_lobes)
                meet<true>(level, guide, record);
            else
                meet<false>(level, guide, record);
        }
    }
    template <bool kChoosesLobes>
    void meet(std::uint32_t level, const PhotonGuide& guide, const GuideRecord& record) {
        const MeetSurface<kChoosesLobes> op{pass,
                                            list,
                                            guide,
                                            record,
                                            queues[level % 2],
                                            hits,
                                            queues[(level + 1) % 2],
                                            &counts[level + 1]};
        for_each_entry_in_step<512, 1>(scratch.stream(), "photon hits", &counts[level], capacity,
                                       op);
    }
    void emit(std::uint32_t first, std::uint32_t n, const PhotonGuide& guide) {
        if (pass.scene.tree.patches.empty() && !pass.scene.splats.cells)
            emit_seen<false>(first, n, guide);
        else
            emit_seen<true>(first, n, guide);
    }
    template <bool kAnySurface>
    void emit_seen(std::uint32_t first, std::uint32_t n, const PhotonGuide& guide) {
        PhotonPass given = pass;
        PhotonGuide guiding = guide;
        BeamRays rays = queues[0];
        std::uint32_t* count = &counts[0];
        parallel_for(
            scratch.stream(), "emit photons", n, TL_LAMBDA(std::uint32_t k) {
                std::uint32_t i = first + k;
                EmissionNumbers numbers = emission_numbers(given, i);
                guiding.move_source(numbers);
                EmittedRay light;
                float weight = 1;
                auto move = [&](std::uint32_t source, vec2& place, vec2& direction) {
                    weight = guiding.move_ray(source, guided_numbers(given.scene, source), numbers);
                    place = numbers.place;
                    direction = numbers.direction;
                    return weight;
                };
                const SceneView& scene = given.scene;
                if (!emit_light<kAnySurface>(scene, *given.around, numbers.source, numbers.place,
                                             numbers.direction, move, light))
                    return;
                PhotonBeam beam;
                const PhotonSources& sources = scene.photon_sources;
                if (!rays.beams.empty() && light.source + 1 != sources.n) {
                    float density = sources.table[light.source].probability *
                                    static_cast<float>(given.n_photons) / weight;
                    beam = PhotonBeam::of(scene.lights[light.source], *given.around, numbers.place,
                                          numbers.direction, light.direction, 1 / sqrtf(density));
                }
                rays.store(atomic_append(count),
                           PathRay{light.origin, i, light.direction, 1, light.power,
                                   media_of_source(scene, light.source).bits,
                                   PackedCone::of({0, 0}), light.on_patch},
                           beam);
            });
    }
};

/// Smallest pass that devices trace together: a smaller one takes no longer than the exchange.
constexpr std::uint32_t kLeastShared = 1u << 16;

/// Returns the devices that trace this very pass together; null if there are none.
PhotonShare* share_of_pass(Stream& stream, PhotonShare* share, const PhotonPass& pass,
                           bool has_learned) {
    if (!share || pass.n_photons < kLeastShared) return nullptr;
    std::uint64_t key =
        hash_64(pass.seed) ^ hash_64(std::uint64_t{pass.pass} << 32 | pass.n_photons);
    return share->begin_pass(stream, hash_64(key ^ (pass.max_depth << 1 | (has_learned ? 1 : 0))))
               ? share
               : nullptr;
}

/// Traces the photons of a pass, or this device's range of them.
void trace_range(Scratch& scratch, const PhotonPass& pass, const PhotonList& list,
                 const PhotonGuide& guide, const GuideRecord& record, PhotonShare* share) {
    SharedRange range{0, pass.n_photons};
    if (share) range = share->range(pass.n_photons);
    PhotonWaves(scratch, pass, list).trace(range, guide, record);
    if (!share) return;
    std::vector<SharedList> lists{{list.photons.data, sizeof(Photon)},
                                  {list.ids.data, sizeof(std::uint32_t)}};
    if (!list.shapes.empty()) lists.push_back({list.shapes.data, sizeof(PhotonShape)});
    auto capacity = static_cast<std::uint32_t>(list.photons.size);
    share->gather(scratch.stream(), lists, capacity, list.count);
}

/// Traces the photons of a pass. The guide learns from each `every`-th of them.
void trace_and_learn(Scratch& scratch, const PhotonPass& pass, const PhotonList& list,
                     LearnedGuide& guide, std::uint32_t every, PhotonShare* share) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    GuideRecord record = guide.record(stream, every);
    trace_range(scratch, pass, list, guide.guide(), record, share);
    if (share)
        share->add(stream, reinterpret_cast<std::uint32_t*>(record.counts),
                   sizeof(*record.counts) / sizeof(std::uint32_t));
    guide.learn(stream, (pass.n_photons + every - 1) / every, pass.scene.photon_sources.n);
}

}  // namespace

void trace_photons(Scratch& scratch, const PhotonPass& pass, const PhotonList& list,
                   LearnedGuide* guide, PhotonShare* share) {
    // Scouts, unguided at first and then guided by their own counts, number a fraction of the pass,
    // but enough to learn from. Their photons are discarded, since they would bring noise: a guided
    // photon carries far less power.
    constexpr std::uint32_t kScouts = 16, kFewest = 2048, kLeast = 4 * kFewest, kEvery = 4;
    share = share_of_pass(scratch.stream(), share, pass, guide && guide->has_learned());
    if (!guide || pass.n_photons < kLeast || pass.scene.photon_sources.n == 0) {
        Scratch::Scope scope(scratch);
        return trace_range(scratch, pass, list, {}, {}, share);
    }
    if (!guide->has_learned()) {
        constexpr std::uint64_t kScoutNumbers = 0x73636f757473;
        PhotonPass scouts = pass;
        scouts.n_photons = std::max(pass.n_photons / kScouts, kFewest);
        for (std::uint64_t round = 1; round <= 2; ++round) {
            scouts.seed = pass.seed ^ round * kScoutNumbers;
            trace_and_learn(scratch, scouts, list, *guide, 1, nullptr);
        }
    }
    trace_and_learn(scratch, pass, list, *guide, kEvery, share);
}

TL_DEVICE_END
