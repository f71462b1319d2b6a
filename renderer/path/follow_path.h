// Path tracing from the camera, one vertex at a time. A vertex on a surface with a BSDF samples one
// light (next-event estimation) and continues the path in a direction sampled from the BSDF. MIS
// combines the two by the power heuristic (Veach & Guibas 1995, "Optimally combining sampling
// techniques for Monte Carlo rendering"). Mirrors and smooth glass sample no light; the path
// continues with one of their rays. Russian roulette terminates long paths (Arvo & Kirk 1990,
// "Particle transport and image synthesis").
//
// Renderers that cache light use gathering paths: wide lobes (diffuse or rough glossy)
// are not followed for indirect lighting. Each vertex with such a lobe is output as a gather
// point, where the renderer queries its cache. A ray sampled from a wide lobe then contributes only
// the emission at its hit. Narrow lobes and specular surfaces are traced as usual.
//
// Gathering paths may split at smooth glass into a reflected and a refracted path (Whitted 1980,
// "An improved illumination model for shaded display"). A pixel has n_path_slots slots, each for
// one path at a time. A split divides the path's slots in proportion to throughput. A path with a
// single slot instead draws one of the two rays at random. PathRay::pixel is then the index of the
// path's first slot; the slots of a pixel are consecutive.
#pragma once

#include "core/device/vectorized_copy.h"
#include "renderer/path/mis_weight.h"
#include "renderer/path/path_limits.h"
#include "renderer/path/surface_interaction.h"
#include "renderer/shading/light_choice.h"

TL_DEVICE_BEGIN

/// PathFrame with the settings of the path tracer.
struct PathTracerFrame : PathFrame {
    PathLimits limits;
    PathSplitting splitting{};
    /// Whether all hits are on non-emissive diffuse and Phong surfaces. Kernels for such hits alone
    /// set it to a compile-time constant, so that they lack the code of other materials.
    bool only_plain_hits = false;
};

/// A color in [0, 1], 16 bits a channel, stored as 1 - value; 1 by default.
struct PackedFactor {
    std::uint16_t complement[3] = {0, 0, 0};

    [[nodiscard]] TL_HD static PackedFactor of(vec3 factor) {
        PackedFactor packed;
        for (int c = 0; c < 3; ++c)
            packed.complement[c] = static_cast<std::uint16_t>(
                kOne * (1 - minimum(maximum(factor[c], 0.0f), 1.0f)) + 0.5f);
        return packed;
    }
    [[nodiscard]] TL_HD vec3 factor() const {
        return vec3(1) - vec3(complement[0], complement[1], complement[2]) / kOne;
    }

  private:
    static constexpr float kOne = 65535;
};

/// State of a path, besides its ray, that the next hit needs. It describes the previous vertex, for
/// MIS, and the whole path, for splitting and Russian roulette. Aligned so that it is loaded and
/// stored in words of 16 bytes.
struct alignas(16) PathHistory {
    vec3 lit_from;  ///< newest shading point that sampled a light; valid if pdf > 0
    /// Density of the ray's direction in BSDF sampling, 1/sr. 0 for camera rays, after mirrors and
    /// smooth glass, and after pass_interface(): emission at the hit then has MIS weight 1.
    float pdf;
    vec3 lit_normal;              ///< shading normal at lit_from
    std::uint16_t two_sided;      ///< whether lit_from samples lights on both sides
    std::uint16_t n_path_slots;   ///< slots of the pixel that the path may split into
    float compression;            ///< product of eta^2 of the path's refractions
    std::uint32_t n_scattered;    ///< vertices so far at which a BSDF was sampled (sample_bsdf())
    PackedFactor narrow_share{};  ///< gathering paths: factor of all light but emission at the hit

    /// Returns the state of a camera ray, with one slot. If paths may split, the caller sets
    /// n_path_slots to the number of slots.
    [[nodiscard]] TL_HD static PathHistory of_camera_ray() {
        return {vec3(0), 0, vec3(0), 0, 1, 1, 0};
    }
};
static_assert(sizeof(PathHistory) == 48);

/// A path's newest ray and the state of the vertex from which it leaves.
struct PathState {
    PathRay ray;
    PathHistory history;
};

/// Next-event estimate: a light sample that contributes if its shadow ray is unoccluded.
struct DirectSample {
    Ray shadow_ray;
    vec3 radiance;  ///< contribution to the pixel, throughput included
};

/// Whether paths gather: Out has the callback gather(PathRay, Hit, PathHit, SurfaceInteraction).
template <class Out>
inline constexpr bool kGathers = requires(Out& out, const PathRay& ray, const Hit& hit,
                                          const PathHit& h, const SurfaceInteraction& at) {
    out.gather(ray, hit, h, at);
};

/// Storage in which the next path state is built before it is passed to out.next(). It is
/// out.next_state if Out has that member, which saves a copy, or else `own`.
template <class Out>
TL_D TL_ALWAYS_INLINE PathState& storage_of_next(Out& out, PathState& own) {
    if constexpr (requires { out.next_state; })
        return out.next_state;
    else
        return own;
}

/// Shades the hits of paths. Keeps no state of a path, so that all paths of a frame may share it.
/// The frame must outlive it.
class PathFollower {
  public:
    TL_D explicit PathFollower(const PathTracerFrame& frame) : frame_(frame), scene_(frame.scene) {}

    /// Returns the background radiance that a ray without a hit contributes to the pixel, MIS
    /// weight included.
    [[nodiscard]] TL_D vec3 miss(const PathState& state) const {
        vec3 radiance = state.ray.throughput * background_radiance(scene_, state.ray.direction);
        if (scene_.environment && state.history.pdf > 0 && radiance != vec3(0)) {
            float density = environment_density(*scene_.environment, state.ray.direction);
            auto n = static_cast<float>(scene_.search.n_choices());
            radiance *= surface_weight(state.history.pdf, density / n);
        }
        return clamped(radiance, is_indirect(state));
    }

    /// Returns the emission at a ray's hit that contributes to the pixel, MIS weight included.
    [[nodiscard]] TL_D vec3 emission(const PathState& state, const Hit& hit,
                                     const PathHit& h) const {
        return clamped(state.ray.throughput * h.transmittance * emitted(state, hit, h),
                       is_indirect(state));
    }
    /// Shades a hit. Returns the emission there that contributes to the pixel, and passes on the
    /// rest by callbacks. Each runs as soon as its argument is known, so that nothing is stored:
    /// - out.direct(DirectSample): next-event estimate, whose shadow ray is still to be traced;
    /// - out.next(PathState): the path continues; called twice where a path splits;
    /// - out.gather(PathRay, Hit, PathHit, SurfaceInteraction), if Out has it: a gather point. The
    ///   caller estimates indirect lighting there. Its factors in the pixel are PathRay::throughput
    ///   and PathHit::transmittance.
    template <class Out>
    [[nodiscard]] TL_D TL_ALWAYS_INLINE vec3 shade(const PathState& state, const Hit& hit,
                                                   Out&& out) const {
        auto scatters = [&](const PathState& state, const PathHit& h, const SurfaceInteraction& at,
                            const PathNumbers& numbers) {
            scatter(state, h, at, numbers, chosen_light(at, numbers), out);
        };
        return shade_before_scattering(state, hit, out, scatters);
    }
    /// Runs shade() except for scattering at a surface with a BSDF, and returns the same. There it
    /// calls scatters(PathState, PathHit, SurfaceInteraction, PathNumbers) instead, for scatter().
    /// Mirrors, smooth glass and gather points call `out` as in shade().
    template <class Out, class Scatters>
    [[nodiscard]] TL_D TL_ALWAYS_INLINE vec3 shade_before_scattering(const PathState& state,
                                                                     const Hit& hit, Out&& out,
                                                                     Scatters&& scatters) const {
        const PathRay& ray = state.ray;
        PathHit h = path_hit(scene_, ray, hit);
        vec3 found = frame_.only_plain_hits ? vec3(0) : emission(state, hit, h);
        if (ray.depth() >= static_cast<std::uint32_t>(frame_.limits.max_depth)) return found;
        if constexpr (kGathers<Out>) {
            PathState rest = state;
            rest.ray.throughput *= state.history.narrow_share.factor();
            if (rest.ray.throughput != vec3(0)) continue_path(rest, hit, h, out, scatters);
        } else {
            continue_path(state, hit, h, out, scatters);
        }
        return found;
    }
    /// Selects the light for next-event estimation at a shading point.
    [[nodiscard]] TL_D ChosenLight chosen_light(const SurfaceInteraction& at,
                                                const PathNumbers& numbers) const {
        // A single light needs no random number; a GPU then does not compute it.
        float r = scene_.search.has_one_light() ? 0.0f : numbers.light();
        return choose_any_light(scene_.search, at.lit.position, at.lit.normal, is_two_sided(at), r);
    }
    /// Completes shade() after shade_before_scattering() at a surface with a BSDF: next-event
    /// estimation for the chosen light, then BSDF sampling. `out` is as for shade().
    template <class Out>
    TL_D TL_ALWAYS_INLINE void scatter(const PathState& state, const PathHit& h,
                                       const SurfaceInteraction& at, const PathNumbers& numbers,
                                       ChosenLight chosen, Out&& out) const {
        vec3 throughput = state.ray.throughput * h.transmittance;
        if (chosen.probability > 0) sample_light(state, h, at, throughput, numbers, chosen, out);
        sample_bsdf(state, h, at, throughput, numbers, out);
    }
    /// Whether the surface transmits light by a rough or layered BSDF. Lights on both of its sides
    /// are then sampled.
    [[nodiscard]] TL_D bool is_two_sided(const SurfaceInteraction& at) const {
        if (!scene_.ggx) return false;
        const LayersData* layers = at.bsdf.layers.data;
        return layers ? layers->transmission > 0
                      : at.lit.material->kind == MaterialKind::dielectric;
    }

  private:
    /// Continues a path after the emission at its hit: by scatter_specular(), pass_interface() or
    /// `scatters`. A path with max_bsdf_bounces bounces continues only at mirrors and smooth glass.
    template <class Out, class Scatters>
    TL_D TL_ALWAYS_INLINE void continue_path(const PathState& state, const Hit& hit,
                                             const PathHit& h, Out&& out,
                                             Scatters&& scatters) const {
        const PathRay& ray = state.ray;
        PathNumbers numbers(frame_.pattern, frame_.seed, ray.pixel, frame_.sample, ray.path_id);
        if (!frame_.only_plain_hits && is_smooth_specular(scene_, *h.surface.material)) {
            scatter_specular(state, h, numbers, out);
        } else if (state.history.n_scattered <
                   static_cast<std::uint32_t>(frame_.limits.max_bsdf_bounces)) {
            SurfaceInteraction at =
                surface_interaction(scene_, ray, hit, h, frame_.limits.smooth_terminator);
            if (!at.face.is_real) return pass_interface(state, h, at, numbers, out);
            if constexpr (kGathers<Out>)
                if (at.bsdf.has_wide()) out.gather(ray, hit, h, at);
            scatters(state, h, at, numbers);
        }
    }
    /// Returns the MIS weight of emission found by BSDF sampling. `own`: density of the BSDF
    /// sample. `other`: density of light sampling in the same direction, 0 if it has no sample
    /// there.
    [[nodiscard]] TL_D float surface_weight(float own, float other) const {
        if (!(other > 0)) return 1;
        switch (frame_.limits.direct_lighting) {
            case DirectLighting::lights:
                return 0;
            case DirectLighting::surfaces:
                return 1;
            case DirectLighting::both:
                break;
        }
        return mis_weight(own, other);
    }
    /// Whether emission found by the newest ray is indirect lighting. It is after more than one
    /// vertex with a BSDF, or after one that a mirror or glass separates from the emitter.
    [[nodiscard]] TL_D static bool is_indirect(const PathState& state) {
        return state.history.n_scattered > 1 ||
               (state.history.n_scattered == 1 && !(state.history.pdf > 0));
    }
    /// Scales indirect radiance so that its largest channel is at most biased_clamp.
    [[nodiscard]] TL_D vec3 clamped(vec3 radiance, bool indirect) const {
        float most = frame_.limits.biased_clamp, found = largest(radiance);
        return indirect && most > 0 && found > most ? radiance * (most / found) : radiance;
    }
    /// Returns the emission at a ray's hit times its MIS weight, without the throughput.
    [[nodiscard]] TL_D vec3 emitted(const PathState& state, const Hit& hit,
                                    const PathHit& h) const {
        vec3 radiance = h.emitted(scene_, hit);
        if (radiance == vec3(0) || !(state.history.pdf > 0)) return radiance;
        std::int32_t light = any_light_of(scene_, hit, h.surface);
        if (light < 0) return radiance;
        auto index = static_cast<std::uint32_t>(light);
        float density = density_of_met_light(scene_, scene_.lights[index], state.history.lit_from,
                                             state.ray.direction, hit);
        if (!(density > 0)) return radiance;
        float chosen = probability_of_any_light(scene_, index, state.history.lit_from,
                                                state.history.lit_normal, state.history.two_sided);
        return radiance * surface_weight(state.history.pdf, density * chosen);
    }
    /// Continues the path in a direction sampled from the BSDF.
    template <class Out>
    TL_D void sample_bsdf(const PathState& state, const PathHit& h, const SurfaceInteraction& at,
                          vec3 throughput, const PathNumbers& numbers, Out&& out) const {
        if constexpr (kGathers<Out>)  // the ray could not contribute
            if (!any_may_meet_light(scene_) && !at.bsdf.has_narrow()) return;
        BsdfSample s;
        float choice = at.bsdf.is_lambert() ? 0.0f : numbers.choice();
        if (!at.bsdf.sample(at.lit.to_viewer, choice, numbers.direction(), s) ||
            !is_open(h, at, s.direction))
            return;
        bool through = fused_dot(at.lit.normal, s.direction) <= 0;
        PathState own;
        PathState& next = storage_of_next(out, own);
        next.ray = {origin_towards(h, at, s.direction),
                    state.ray.pixel,
                    s.direction,
                    next_path_id(state.ray.path_id, through ? 1 : 0),
                    throughput * s.weight,
                    (state.ray.depth() + 1) << Media::kBits |
                        (through ? at.face.beyond : state.ray.media()).bits,
                    PackedCone::of(h.cone),
                    h.surface.on_patch};
        next.history.pdf = s.pdf;
        next.history.lit_from = at.lit.position;
        next.history.lit_normal = at.lit.normal;
        next.history.two_sided = is_two_sided(at);
        next.history.n_path_slots = state.history.n_path_slots;
        next.history.compression =
            state.history.compression * (through ? at.face.eta * at.face.eta : 1.0f);
        next.history.n_scattered = state.history.n_scattered + 1;
        if constexpr (kGathers<Out>) {
            vec3 narrow_share = at.bsdf.narrow_share(at.lit.to_viewer, s);
            if (narrow_share == vec3(0) && !may_meet_light(scene_, next.ray.origin, s.direction))
                return;
            next.history.narrow_share = PackedFactor::of(narrow_share);
        }
        if (survives_roulette(next, numbers)) out.next(next);
    }
    /// Next-event estimation: outputs the shadow ray to a sample of the chosen light.
    template <class Out>
    TL_D void sample_light(const PathState& state, const PathHit& h, const SurfaceInteraction& at,
                           vec3 throughput, const PathNumbers& numbers, ChosenLight chosen,
                           Out&& out) const {
#if defined(__CUDACC__)
        const LightData light = load_vectorized(scene_.lights[chosen.index]);
#else  // a reference: only the members in use are read
        const LightData& light = scene_.lights[chosen.index];
#endif
        LightSample sample;
        vec2 point = numbers.point_of_light();
        if (!sample_any_light(scene_, light, at.lit.position, point.x, point.y, sample) ||
            !is_open(h, at, sample.direction))
            return;
        if (scene_.has_textured_lights && light.textured_material >= 0) {
            sample.radiance *=
                texture_of_sample(scene_, light, at.lit.position, point.x, point.y, sample);
            if (sample.radiance == vec3(0)) return;
        }
        BsdfValue value = at.bsdf.eval_with_pdf(at.lit.to_viewer, sample.direction);
        if (value.fraction == vec3(0)) return;
        float mis = 1;
        if (is_emissive_surface(scene_, light) || is_wide(light)) {
            if (frame_.limits.direct_lighting == DirectLighting::surfaces) return;
            float density = chosen.probability / sample.inverse_density;
            if (frame_.limits.direct_lighting == DirectLighting::both)
                mis = mis_weight(density, value.pdf);
        }
        vec3 radiance = throughput * value.fraction * transmittance(state, at, sample) *
                        (sample.radiance * (sample.inverse_density * mis / chosen.probability));
        out.direct({ray_to_light(sample, at.lit.position, origin_towards(h, at, sample.direction),
                                 at.lit.on_patch),
                    clamped(radiance, state.history.n_scattered > 0)});
    }
    /// Returns the transmittance of the medium between the shading point and its light sample.
    [[nodiscard]] TL_D vec3 transmittance(const PathState& state, const SurfaceInteraction& at,
                                          const LightSample& light) const {
        bool through = fused_dot(at.lit.normal, light.direction) <= 0;
        Media media = through ? at.face.beyond : state.ray.media();
        return absorbed(scene_, media, light.distance);
    }
    /// Continues the path straight through a rough dielectric's surface that another dielectric
    /// overrides (Interface::is_real). The surface occludes the shadow rays of light sampling, so
    /// that only this path finds emission behind it. Sets pdf to 0, for an MIS weight of 1.
    template <class Out>
    TL_D void pass_interface(const PathState& state, const PathHit& h, const SurfaceInteraction& at,
                             const PathNumbers& numbers, Out&& out) const {
        PathState next = state;
        next.ray = bounced_ray(state.ray, h,
                               {state.ray.direction, h.transmittance, 1, at.face.beyond, h.cone});
        next.history.pdf = 0;
        if (survives_roulette(next, numbers)) out.next(next);
    }
    /// Continues the path at a mirror or smooth glass. A gathering path with several slots splits
    /// into both rays, each with slots of its own. Other paths continue with one ray, drawn with
    /// probability proportional to weight.
    template <class Out>
    TL_D void scatter_specular(const PathState& state, const PathHit& h, const PathNumbers& numbers,
                               Out&& out) const {
        const Bounces bounces(scene_, state.ray, h);
        if (!(bounces.first_weight > 0)) return;
        std::uint32_t n = state.history.n_path_slots;
        if constexpr (kGathers<Out>) {
            if (n > 1 && bounces.second_weight > 0) {
                float share = bounces.first_weight / (bounces.first_weight + bounces.second_weight);
                auto n_first = static_cast<std::uint32_t>(share * static_cast<float>(n) + 0.5f);
                n_first = minimum(maximum(n_first, 1u), n - 1);
                continue_specular(state, h, bounces.first, 0, n_first, numbers, out);
                continue_specular(state, h, bounces.second, n_first, n - n_first, numbers, out);
                return;
            }
        }
        continue_specular(state, h, bounces.drawn(numbers.choice()), 0, n, numbers, out);
    }
    /// Continues with one reflected or refracted ray, in `n_path_slots` of the path's slots from
    /// the `first` on. Multiplies the throughput of a refracted one by eta^2.
    template <class Out>
    TL_D void continue_specular(const PathState& state, const PathHit& h, BouncedRay bounced,
                                std::uint32_t first, std::uint32_t n_path_slots,
                                const PathNumbers& numbers, Out&& out) const {
        PathState next = state;
        next.history.pdf = 0;
        next.history.n_path_slots = static_cast<std::uint16_t>(n_path_slots);
        if (bounced.branch == 1) {
            Interface face =
                interface_at(scene_, state.ray.media(), *h.surface.material, h.from_inside);
            float eta = face.is_real ? face.eta : 1.0f;
            bounced.weight *= eta * eta;
            next.history.compression *= eta * eta;
        }
        next.ray = bounced_ray(state.ray, h, bounced);
        next.ray.pixel += first;
        if (survives_roulette(next, numbers)) out.next(next);
    }
    /// Russian roulette: terminates the path at random, or divides its throughput by the survival
    /// probability. Returns whether it survives. Paths of at most roulette_from bounces or
    /// of at least roulette_below throughput survive unchanged; paths of throughput 0 never do. The
    /// throughput is compared without the factor `compression`, which refraction out of the medium
    /// undoes.
    [[nodiscard]] TL_D bool survives_roulette(PathState& next, const PathNumbers& numbers) const {
        if (next.ray.depth() <= static_cast<std::uint32_t>(frame_.limits.roulette_from))
            return largest(next.ray.throughput) > 0;
        constexpr float kMaxSurvival = 0.98f;
        float carried = largest(next.ray.throughput) / next.history.compression;
        if (carried >= frame_.splitting.roulette_below) return true;
        float keep =
            minimum(carried / minimum(frame_.splitting.roulette_below, 1.0f), kMaxSurvival);
        if (!(numbers.roulette() < keep)) return false;
        next.ray.throughput /= keep;
        return true;
    }

    const PathTracerFrame& frame_;
    const SceneView& scene_;
};

TL_DEVICE_END
