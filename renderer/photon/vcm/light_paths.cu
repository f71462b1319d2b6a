#include "renderer/photon/vcm/light_paths.h"

#include "renderer/photon/vcm/shadow_links.h"
#include "renderer/photon/vcm/sources.h"

TL_DEVICE_BEGIN

namespace {

/// Salt of the seed of light sub-paths, so that their random numbers differ from the camera's.
constexpr std::uint64_t kOwnNumbers = 0x6c69676874;

/// Lengths of a bounce's queues. Each has its own cache line, as in WaveCounts.
struct LightCounts {
    alignas(128) std::uint32_t n_rays;
    alignas(128) std::uint32_t n_vertices;
    alignas(128) std::uint32_t n_shadows;
};

/// State of a light sub-path's ray besides PathRay, whose pixel is the index of the sub-path.
struct LightPathHistory {
    SubPathSums sums;
    std::uint32_t source, unused = 0;
};

struct LightRays {
    View<PathRay> rays;
    View<LightPathHistory> histories;

    LightRays(Scratch& scratch, std::uint32_t n)
        : rays(scratch.take<PathRay>(n)), histories(scratch.take<LightPathHistory>(n)) {}
    TL_D void store(std::uint32_t i, const PathRay& ray, const LightPathHistory& history) const {
        store_vectorized(rays[i], ray);
        histories[i] = history;
    }
};

struct EmitRay {
    VcmPass pass;
    LightRays to;
    LightVertices list;
    std::uint32_t* count;

    TL_D void operator()(std::uint32_t i) const {
        if (!list.newest.empty()) list.newest[i] = PathVertex::kNone;
        const PathTracerFrame& frame = pass.frame;
        const SceneView& scene = frame.scene;
        Sampler sampler(frame.pattern, frame.seed, frame.sample, i);
        vec2 source = sampler.next(), place = sampler.next(), direction = sampler.next();
        EmittedRay light;
        auto stay = [](std::uint32_t, vec2&, vec2&) { return 1.0f; };
        if (!emit_light(scene, *pass.around, source, place, direction, stay, light)) return;
        float spread = inverse_emission_density(scene, *pass.around, light.source, light.direction);
        if (!(spread < kInfinity)) return;
        to.store(
            atomic_append(count),
            {light.origin, i, light.direction, 1, light.power,
             media_of_source(scene, light.source).bits, PackedCone::of({0, 0}), light.on_patch},
            {SubPathSums::of_source(spread, can_be_met(scene, light.source)), light.source});
    }
};

/// One bounce of one light sub-path.
struct MeetLit {
    VcmPass pass;
    LightVertices list;
    LightRays from;
    View<const Hit> hits;
    LightRays to;
    View<std::uint32_t> fresh;  ///< indices of the vertices stored at this bounce
    LightCounts* counts;        ///< lengths for this bounce; the next bounce's follow them

    TL_D void operator()(std::uint32_t i) const {
        Hit hit = hits[i];
        if (!hit.found()) return;
        PathRay ray = load_vectorized(from.rays[i]);
        LightPathHistory history = from.histories[i];
        const PathTracerFrame& frame = pass.frame;
        const SceneView& scene = frame.scene;
        PathHit h = path_hit(scene, ray, hit);
        PathNumbers numbers(frame.pattern, frame.seed, frame.sample, ray.pixel, ray.path_id);
        if (is_smooth_specular(scene, *h.surface.material)) {
            BouncedRay bounced;
            float eta;
            if (!choose_turn(scene, ray, h, numbers.choice(), bounced, eta)) return;
            history.sums = history.sums.turned(eta);
            return continue_path(ray, bounced_ray(ray, h, bounced), history, numbers);
        }
        SurfaceInteraction at = surface_interaction(scene, ray, hit, h, false);
        if (!at.face.is_real) {
            history.sums = history.sums.turned(1);
            return continue_path(
                ray,
                bounced_ray(ray, h, {ray.direction, h.transmittance, 1, at.face.beyond, h.cone}),
                history, numbers);
        }
        PathVertex v = vertex_at(scene, ray, hit, h, at);
        VertexSide seen(scene, v, v.to_previous);
        float factor = ray.depth() > 0
                           ? hit.t * hit.t
                           : direct_density(scene, history.source, v.position, v.shading,
                                            is_two_sided(scene, v), v.to_previous, hit.t);
        v.sums = history.sums.arrived(factor, cosine_at(v, v.to_previous));
        store(v);
        if (ray.depth() + 1 < static_cast<std::uint32_t>(frame.limits.max_depth))
            scatter(ray, h, v, seen, history, numbers);
    }
    TL_D void store(PathVertex v) const {
        v.throughput /= static_cast<float>(pass.n_light_paths);
        if (v.depth() > 0 && !list.photons.photons.empty()) store_photon(v);
        if (list.vertices.empty()) return;
        std::uint32_t k = atomic_append(list.n_vertices);
        if (k >= list.vertices.size) return;
        v.previous = list.newest[v.sub_path];
        list.newest[v.sub_path] = k;
        store_vectorized(list.vertices[k], v);
        fresh[atomic_append(&counts->n_vertices)] = k;
    }
    TL_D void store_photon(const PathVertex& v) const {
        std::uint32_t k = atomic_append(list.photons.count), n_met = v.depth() + 1;
        if (k >= list.photons.photons.size) return;
        Photon photon{v.position, pack_direction<16>(-v.to_previous), v.throughput,
                      Photon::surface_of(v.geometric, n_met, false)};
        store_vectorized(list.photons.photons[k], photon);
        list.photons.ids[k] = v.sub_path * PathLimits::kMaxDepth + (n_met - 1);
        list.sums[k] = v.sums;
    }
    TL_D void scatter(const PathRay& ray, const PathHit& h, const PathVertex& v,
                      const VertexSide& seen, LightPathHistory history,
                      const PathNumbers& numbers) const {
        BsdfSample s;
        if (!seen.sample(numbers.choice(), numbers.direction(), s)) return;
        VertexSide onward(pass.frame.scene, v, s.direction);
        vec3 weight = sent_towards(v, onward, s.direction) / s.pdf;
        if (weight == vec3(0)) return;
        history.sums =
            v.sums.scattered(pass.balance, pass.balance.merges_at(v.depth() + 1),
                             cosine_at(v, s.direction), s.pdf, onward.pdf(v.to_previous));
        std::uint32_t through = fused_dot(v.geometric, s.direction) > 0 ? 0 : 1;
        continue_path(ray,
                      {v.origin_towards(s.direction), ray.pixel, s.direction,
                       next_path_id(ray.path_id, through), v.throughput * weight,
                       (ray.depth() + 1) << Media::kBits | v.media_towards(s.direction).bits,
                       PackedCone::of(h.cone), v.on_patch},
                      history, numbers);
    }
    /// Appends the continued ray, or terminates the sub-path by Russian roulette, which keeps the
    /// power of those that survive.
    TL_D void continue_path(const PathRay& ray, PathRay onward, const LightPathHistory& history,
                            const PathNumbers& numbers) const {
        if (onward.depth() >= static_cast<std::uint32_t>(pass.frame.limits.max_depth)) return;
        float keep = minimum(largest(onward.throughput) / largest(ray.throughput), 1.0f);
        if (!(numbers.roulette() < keep)) return;
        onward.throughput /= keep;
        to.store(atomic_append(&counts[1].n_rays), onward, history);
    }
};

/// Appends the shadow ray from a vertex to the camera.
struct LookAtCamera {
    VcmPass pass;
    Extent extent;
    View<const PathVertex> vertices;
    View<const std::uint32_t> fresh;
    ShadowQueue shadows;
    View<vec2> places;  ///< image positions of the shadow rays' light
    std::uint32_t* n_shadows;

    TL_D void operator()(std::uint32_t i) const {
        PathVertex v = load_vectorized(vertices[fresh[i]]);
        const PathTracerFrame& frame = pass.frame;
        PathNumbers numbers(frame.pattern, frame.seed, frame.sample, v.sub_path, v.path_id);
        vec3 opening = pass.plane.opening(numbers.point_of_light());
        vec3 to_camera = opening - v.position;
        float distance2 = glm::dot(to_camera, to_camera);
        if (!(distance2 > 0)) return;
        float distance = sqrtf(distance2);
        vec3 direction = to_camera / distance;
        float density = pass.plane.density(-direction);
        if (!(density > 0)) return;
        vec2 place = pass.plane.place(opening, -direction);
        float reach = pass.plane.reach();
        if (!(place.x > -reach && place.x < static_cast<float>(extent.width) + reach &&
              place.y > -reach && place.y < static_cast<float>(extent.height) + reach))
            return;
        VertexSide seen(frame.scene, v, direction);
        vec3 sent = sent_towards(v, seen, direction);
        if (sent == vec3(0)) return;
        float per_area = density * cosine_at(v, direction) / distance2;
        float mis = weight_of_splat(pass.balance, v.sums, pass.balance.merges_at(v.depth() + 1),
                                    per_area, seen.pdf(v.to_previous));
        vec3 radiance = v.throughput * sent * transmittance(frame.scene, v, direction, distance) *
                        (mis * density / distance2);
        std::uint32_t k = atomic_append(n_shadows);
        shadows.store(k, ray_to_point(v, direction, distance), {radiance, v.sub_path});
        places[k] = place;
    }
};

struct LightWaves {
    Scratch& scratch;
    const VcmPass& pass;
    const LightVertices& list;
    std::uint32_t n;
    LightRays queues[2];
    View<Hit> hits;
    View<std::uint32_t> fresh;
    ShadowQueue shadows;
    View<vec2> places;
    View<LightCounts> counts;  ///< lengths for each bounce

    LightWaves(Scratch& scratch, const VcmPass& pass, const LightVertices& list)
        : scratch(scratch),
          pass(pass),
          list(list),
          n(pass.n_light_paths),
          queues{{scratch, n}, {scratch, n}},
          hits(scratch.take<Hit>(n)),
          fresh(scratch.take<std::uint32_t>(n)),
          shadows(scratch, n),
          places(scratch.take<vec2>(n)),
          counts(scratch.take<LightCounts>(static_cast<std::size_t>(pass.frame.limits.max_depth) +
                                           1)) {}

    void trace(Extent extent, const Splats& splats) {
        auto& stream = scratch.stream();
        stream.device().fill_zero(stream, list.photons.count, sizeof(std::uint32_t));
        stream.device().fill_zero(stream, list.n_vertices, sizeof(std::uint32_t));
        stream.device().fill_zero(stream, counts.data, counts.size * sizeof(LightCounts));
        parallel_for(stream, "emit light paths", n,
                     EmitRay{pass, queues[0], list, &counts[0].n_rays}, 1024);
        for (std::uint32_t level = 0; level + 1 < counts.size; ++level) {
            const LightRays &from = queues[level % 2], &to = queues[(level + 1) % 2];
            LightCounts* here = &counts[level];
            trace_rays(from, &here->n_rays);
            const MeetLit meet{pass, list, from, hits, to, fresh, here};
            for_each_entry_in_step<256, 2>(stream, "light path hits", &here->n_rays, n, meet);
            if (!splats.sums.empty()) splat(extent, splats, here);
        }
    }
    void trace_rays(const LightRays& from, const std::uint32_t* count) {
        trace_path_rays(scratch, "light path rays", pass.frame.scene, from.rays, count, hits);
    }
    void splat(Extent extent, const Splats& splats, LightCounts* here) {
        auto& stream = scratch.stream();
        const LookAtCamera look{pass,    extent, list.vertices,   fresh,
                                shadows, places, &here->n_shadows};
        for_each_entry_in_step<256, 2>(stream, "light paths to camera", &here->n_vertices, n, look);
        trace_shadow_rays(scratch, pass.frame.scene, shadows, &here->n_shadows);
        ShadowQueue shadows = this->shadows;
        auto places = this->places;
        CameraPlane plane = pass.plane;
        Splats into = splats;
        for_each_entry(
            stream, "splat", &here->n_shadows, n, TL_LAMBDA(std::uint32_t i) {
                if (shadows.occluded[i]) return;
                into.add(plane, extent, places[i], load_vectorized(shadows.light[i]).radiance);
            });
    }
};

}  // namespace

void trace_light_paths(Scratch& scratch, const VcmPass& pass, Extent extent,
                       const LightVertices& list, const Splats& splats) {
    Scratch::Scope scope(scratch);
    VcmPass own = pass;
    own.frame.seed ^= kOwnNumbers;
    LightWaves(scratch, own, list).trace(extent, splats);
}

TL_DEVICE_END
