// A path from the camera: at every surface one light is sampled, and the path goes on in a
// direction that the surface's BSDF draws. Light that both ways may find is weighted by the power
// heuristic (Veach & Guibas 1995, "Optimally combining sampling techniques for Monte Carlo
// rendering"), and long paths end by Russian roulette (Arvo & Kirk 1990, "Particle transport and
// image synthesis").
//
// For renderers that look light up, paths gather: light that has been scattered before is not
// sought by following the lobes that scatter broadly, and the places where it is to be looked up
// are given out. What such a lobe's ray finds is then the emission of what it meets, no more. Where
// smooth glass reflects a part of what it does not let through, they may split (Whitted 1980, "An
// improved illumination model for shaded display"): a pixel has lanes, each for one path at a time,
// and a path that splits shares out its own by weight, until it has one and draws which ray to
// follow. PathRay::pixel is then the number of its first lane, those of a pixel in succession.
#pragma once

#include "accel/parallel/whole_copy.h"
#include "renderer/paths/path_limits.h"
#include "renderer/paths/path_place.h"
#include "renderer/shading/light_choice.h"

TL_DEVICE_BEGIN

/// PathFrame with the settings of the path tracer.
struct PathTracerFrame : PathFrame {
    PathLimits limits;
    /// Known to the compiler where all hits are on diffuse and Phong surfaces that do not glow.
    bool only_plain = false;
};

/// The power heuristic's weight of a sample of density `own` that another way draws with density
/// `other`; 0 for `own` stands for a single direction, which no other way finds.
TL_HD inline float mis_weight(float own, float other) {
    if (!(own > 0)) return 1;
    float ratio = other / own;
    return 1 / (1 + ratio * ratio);
}

/// A color in [0, 1], in 16 bits a channel; 1 by default.
struct PackedShare {
    std::uint16_t lack[3] = {0, 0, 0};

    [[nodiscard]] TL_HD static PackedShare of(vec3 share) {
        PackedShare packed;
        for (int c = 0; c < 3; ++c)
            packed.lack[c] = static_cast<std::uint16_t>(
                kOne * (1 - minimum(maximum(share[c], 0.0f), 1.0f)) + 0.5f);
        return packed;
    }
    [[nodiscard]] TL_HD vec3 share() const {
        return vec3(1) - vec3(lack[0], lack[1], lack[2]) / kOne;
    }

  private:
    static constexpr float kOne = 65535;
};

/// What weighs the light that a path's newest ray finds. Aligned so that it is loaded and stored in
/// words of 16 bytes.
struct alignas(16) PathTrail {
    vec3 lit_from;              ///< where the lights were sampled last,
    float pdf;                  ///< of the ray's direction, 1/sr; 0: a single direction
    vec3 lit_normal;            ///< the normal there, and
    std::uint16_t two_sided;    ///< whether it was lit from both sides
    std::uint16_t n_lanes;      ///< that the path may split into
    float compression;          ///< by which refraction has changed radiance along the path
    std::uint32_t n_scattered;  ///< surfaces so far that have a BSDF
    PackedShare followed{};     ///< of paths that gather: factor of all but emission

    [[nodiscard]] TL_HD static PathTrail of_camera_ray() {
        return {vec3(0), 0, vec3(0), 0, 1, 1, 0};
    }
};
static_assert(sizeof(PathTrail) == 48);

/// A path's newest ray and what the next hit needs.
struct PathTip {
    PathRay ray;
    PathTrail trail;
};

/// The light that a surface receives directly, if the shadow ray is unoccluded.
struct DirectSample {
    Ray shadow_ray;
    vec3 radiance;  ///< in the pixel
};

/// Whether paths gather: Out has a function gather(PathRay, Hit, PathHit, PathPlace).
template <class Out>
inline constexpr bool kGathers = requires(Out& out, const PathRay& ray, const Hit& hit,
                                          const PathHit& h, const PathPlace& at) {
    out.gather(ray, hit, h, at);
};

/// Where the ray after a scattering is made before out.next() gets it: in out.next_tip, if there
/// is such a place, from where it need not be copied at once; else in `own`.
template <class Out>
TL_D TL_ALWAYS_INLINE PathTip& place_of_next(Out& out, PathTip& own) {
    if constexpr (requires { out.next_tip; })
        return out.next_tip;
    else
        return own;
}

class PathFollower {
  public:
    TL_D explicit PathFollower(const PathTracerFrame& frame) : frame_(frame), scene_(frame.scene) {}

    /// What a ray finds that leaves the scene.
    [[nodiscard]] TL_D vec3 miss(const PathTip& tip) const {
        vec3 radiance = tip.ray.weight * background_radiance(scene_, tip.ray.direction);
        if (scene_.environment && tip.trail.pdf > 0 && radiance != vec3(0)) {
            float density = environment_density(*scene_.environment, tip.ray.direction);
            auto n = static_cast<float>(scene_.search.n_choices());
            radiance *= surface_weight(tip.trail.pdf, density / n);
        }
        return clamped(radiance, is_indirect(tip));
    }

    /// The light that a ray finds at a hit, in the pixel.
    [[nodiscard]] TL_D vec3 glow(const PathTip& tip, const Hit& hit, const PathHit& h) const {
        return clamped(tip.ray.weight * h.passed * emitted(tip, hit, h), is_indirect(tip));
    }
    /// What a hit does to a path: returns light that the ray has found, in the pixel. Calls
    /// out.direct(DirectSample) where a light may shine, out.next(PathTip) where the path goes on,
    /// and out.gather(PathRay, Hit, PathHit, PathPlace), if there is such a function, where light
    /// that has been scattered before is to be looked up, for the ray's weight; each as soon as it
    /// is known, so that it need not be kept.
    template <class Out>
    [[nodiscard]] TL_D TL_ALWAYS_INLINE vec3 meet(const PathTip& tip, const Hit& hit,
                                                  Out&& out) const {
        auto scatters = [&](const PathTip& tip, const PathHit& h, const PathPlace& at,
                            const PathNumbers& numbers) {
            scatter(tip, h, at, numbers, chosen_light(at, numbers), out);
        };
        return arrive(tip, hit, out, scatters);
    }
    /// The same, but in place of scattering calls scatters(PathTip, PathHit, PathPlace,
    /// PathNumbers), with what `scatter` needs besides a light.
    template <class Out, class Scatters>
    [[nodiscard]] TL_D TL_ALWAYS_INLINE vec3 arrive(const PathTip& tip, const Hit& hit, Out&& out,
                                                    Scatters&& scatters) const {
        const PathRay& ray = tip.ray;
        PathHit h = path_hit(scene_, ray, hit);
        vec3 found = frame_.only_plain ? vec3(0) : glow(tip, hit, h);
        if (ray.depth() >= static_cast<std::uint32_t>(frame_.limits.max_depth)) return found;
        if constexpr (kGathers<Out>) {
            PathTip rest = tip;
            rest.ray.weight *= tip.trail.followed.share();
            if (rest.ray.weight != vec3(0)) go_on(rest, hit, h, out, scatters);
        } else {
            go_on(tip, hit, h, out, scatters);
        }
        return found;
    }
    /// The light that gets the shadow ray of a place.
    [[nodiscard]] TL_D ChosenLight chosen_light(const PathPlace& at,
                                                const PathNumbers& numbers) const {
        // A choice of one needs no number; on a GPU it is not worked out then.
        float r = scene_.search.has_one_light() ? 0.0f : numbers.light();
        return choose_any_light(scene_.search, at.lit.position, at.lit.normal, is_two_sided(at), r);
    }
    /// Direct light of the chosen one, and a new direction, at a surface with a BSDF; `out` as for
    /// `meet`.
    template <class Out>
    TL_D TL_ALWAYS_INLINE void scatter(const PathTip& tip, const PathHit& h, const PathPlace& at,
                                       const PathNumbers& numbers, ChosenLight chosen,
                                       Out&& out) const {
        vec3 weight = tip.ray.weight * h.passed;
        if (chosen.probability > 0) sample_direct(tip, h, at, weight, numbers, chosen, out);
        scatter_on(tip, h, at, weight, numbers, out);
    }
    [[nodiscard]] TL_D bool is_two_sided(const PathPlace& at) const {
        if (!scene_.ggx) return false;
        const LayersData* layers = at.bsdf.layers.data;
        return layers ? layers->transmission > 0
                      : at.lit.material->kind == MaterialKind::dielectric;
    }

  private:
    template <class Out, class Scatters>
    TL_D TL_ALWAYS_INLINE void go_on(const PathTip& tip, const Hit& hit, const PathHit& h,
                                     Out&& out, Scatters&& scatters) const {
        const PathRay& ray = tip.ray;
        PathNumbers numbers(frame_.pattern, frame_.seed, ray.pixel, frame_.sample, ray.path);
        if (!frame_.only_plain && is_smooth_specular(scene_, *h.surface.material)) {
            bounce(tip, h, numbers, out);
        } else if (tip.trail.n_scattered <
                   static_cast<std::uint32_t>(frame_.limits.max_scattered)) {
            PathPlace at = path_place(scene_, ray, hit, h, frame_.limits.smooth_terminator);
            if (!at.face.is_real) return pass(tip, h, at, numbers, out);
            if constexpr (kGathers<Out>)
                if (at.bsdf.has_broad()) out.gather(ray, hit, h, at);
            scatters(tip, h, at, numbers);
        }
    }
    /// The weight of light found by a direction that a surface drew with density `own`, and that
    /// towards its light is drawn with density `other`.
    [[nodiscard]] TL_D float surface_weight(float own, float other) const {
        if (!(other > 0)) return 1;
        switch (frame_.limits.find_lights) {
            case LightTechnique::lights:
                return 0;
            case LightTechnique::surfaces:
                return 1;
            case LightTechnique::both:
                break;
        }
        return mis_weight(own, other);
    }
    /// Whether light that the path's newest ray finds has met more than one surface with a BSDF, or
    /// a mirror or glass before the only one.
    [[nodiscard]] TL_D static bool is_indirect(const PathTip& tip) {
        return tip.trail.n_scattered > 1 || (tip.trail.n_scattered == 1 && !(tip.trail.pdf > 0));
    }
    [[nodiscard]] TL_D vec3 clamped(vec3 radiance, bool indirect) const {
        float most = frame_.limits.biased_clamp, found = largest(radiance);
        return indirect && most > 0 && found > most ? radiance * (most / found) : radiance;
    }
    [[nodiscard]] TL_D vec3 emitted(const PathTip& tip, const Hit& hit, const PathHit& h) const {
        vec3 radiance = h.emitted(scene_);
        if (radiance == vec3(0) || !(tip.trail.pdf > 0)) return radiance;
        std::int32_t light = any_light_of(scene_, hit, h.surface);
        if (light < 0) return radiance;
        auto index = static_cast<std::uint32_t>(light);
        float density = density_of_met_light(scene_, scene_.lights[index], tip.trail.lit_from,
                                             tip.ray.direction, hit);
        if (!(density > 0)) return radiance;
        float chosen = probability_of_any_light(scene_, index, tip.trail.lit_from,
                                                tip.trail.lit_normal, tip.trail.two_sided);
        return radiance * surface_weight(tip.trail.pdf, density * chosen);
    }
    /// A new direction at a surface with a BSDF.
    template <class Out>
    TL_D void scatter_on(const PathTip& tip, const PathHit& h, const PathPlace& at, vec3 weight,
                         const PathNumbers& numbers, Out&& out) const {
        if constexpr (kGathers<Out>)  // the ray could find nothing
            if (!any_may_meet_light(scene_) && !at.bsdf.has_sharp()) return;
        BsdfSample s;
        float choice = at.bsdf.is_lambert() ? 0.0f : numbers.choice();
        if (!at.bsdf.sample(at.lit.to_viewer, choice, numbers.direction(), s) ||
            !is_open(h, at, s.direction))
            return;
        bool through = fused_dot(at.lit.normal, s.direction) <= 0;
        PathTip own;
        PathTip& next = place_of_next(out, own);
        next.ray = {origin_towards(h, at, s.direction),
                    tip.ray.pixel,
                    s.direction,
                    next_path(tip.ray.path, through ? 1 : 0),
                    weight * s.weight,
                    (tip.ray.depth() + 1) << Media::kBits |
                        (through ? at.face.beyond : tip.ray.media()).bits,
                    PackedCone::of(h.cone),
                    h.surface.place};
        next.trail.pdf = s.pdf;
        next.trail.lit_from = at.lit.position;
        next.trail.lit_normal = at.lit.normal;
        next.trail.two_sided = is_two_sided(at);
        next.trail.n_lanes = tip.trail.n_lanes;
        next.trail.compression =
            tip.trail.compression * (through ? at.face.eta * at.face.eta : 1.0f);
        next.trail.n_scattered = tip.trail.n_scattered + 1;
        if constexpr (kGathers<Out>) {
            vec3 followed = at.bsdf.sharp_share(at.lit.to_viewer, s);
            if (followed == vec3(0) && !may_meet_light(scene_, next.ray.origin, s.direction))
                return;
            next.trail.followed = PackedShare::of(followed);
        }
        if (survives(next, numbers)) out.next(next);
    }
    /// The shadow ray to a sample of one light.
    template <class Out>
    TL_D void sample_direct(const PathTip& tip, const PathHit& h, const PathPlace& at, vec3 weight,
                            const PathNumbers& numbers, ChosenLight chosen, Out&& out) const {
#if defined(__CUDACC__)
        const LightData light = load_whole(scene_.lights[chosen.index]);
#else  // of which only what is used is read
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
            if (frame_.limits.find_lights == LightTechnique::surfaces) return;
            float density = chosen.probability / sample.inverse_density;
            if (frame_.limits.find_lights == LightTechnique::both)
                mis = mis_weight(density, value.pdf);
        }
        vec3 radiance = weight * value.fraction * transmittance(tip, at, sample) *
                        (sample.radiance * (sample.inverse_density * mis / chosen.probability));
        out.direct({ray_to_light(sample, at.lit.position, origin_towards(h, at, sample.direction),
                                 at.lit.from),
                    clamped(radiance, tip.trail.n_scattered > 0)});
    }
    /// What the medium between the place and its light leaves of the light.
    [[nodiscard]] TL_D vec3 transmittance(const PathTip& tip, const PathPlace& at,
                                          const LightSample& light) const {
        bool through = fused_dot(at.lit.normal, light.direction) <= 0;
        Media media = through ? at.face.beyond : tip.ray.media();
        return absorbed(scene_, media, light.distance);
    }
    /// Straight on through a rough surface that another dielectric displaces. It stops the rays to
    /// lights, so that what the path finds behind it is found by no other way.
    template <class Out>
    TL_D void pass(const PathTip& tip, const PathHit& h, const PathPlace& at,
                   const PathNumbers& numbers, Out&& out) const {
        PathTip next = tip;
        next.ray =
            bounced_ray(tip.ray, h, {tip.ray.direction, h.passed, 1, at.face.beyond, h.cone});
        next.trail.pdf = 0;
        if (survives(next, numbers)) out.next(next);
    }
    /// The rays that go on from a mirror or smooth glass, each in lanes of its own, or one of them,
    /// by chance in proportion to weight.
    template <class Out>
    TL_D void bounce(const PathTip& tip, const PathHit& h, const PathNumbers& numbers,
                     Out&& out) const {
        const Bounces bounces(scene_, tip.ray, h);
        if (!(bounces.first_weight > 0)) return;
        std::uint32_t n = tip.trail.n_lanes;
        if constexpr (kGathers<Out>) {
            if (n > 1 && bounces.second_weight > 0) {
                float share = bounces.first_weight / (bounces.first_weight + bounces.second_weight);
                auto n_first = static_cast<std::uint32_t>(share * static_cast<float>(n) + 0.5f);
                n_first = minimum(maximum(n_first, 1u), n - 1);
                follow(tip, h, bounces.first, 0, n_first, numbers, out);
                follow(tip, h, bounces.second, n_first, n - n_first, numbers, out);
                return;
            }
        }
        follow(tip, h, bounces.drawn(numbers.choice()), 0, n, numbers, out);
    }
    /// One of them, in `n_lanes` of the path's lanes from the `first` on.
    template <class Out>
    TL_D void follow(const PathTip& tip, const PathHit& h, BouncedRay bounced, std::uint32_t first,
                     std::uint32_t n_lanes, const PathNumbers& numbers, Out&& out) const {
        PathTip next = tip;
        next.trail.pdf = 0;
        next.trail.n_lanes = static_cast<std::uint16_t>(n_lanes);
        if (bounced.branch == 1) {
            Interface face =
                interface_at(scene_, tip.ray.media(), *h.surface.material, h.from_inside);
            float eta = face.is_real ? face.eta : 1.0f;
            bounced.weight *= eta * eta;
            next.trail.compression *= eta * eta;
        }
        next.ray = bounced_ray(tip.ray, h, bounced);
        next.ray.pixel += first;
        if (survives(next, numbers)) out.next(next);
    }
    /// Russian roulette by what the path carries, apart from compression, which the way out undoes.
    [[nodiscard]] TL_D bool survives(PathTip& next, const PathNumbers& numbers) const {
        if (next.ray.depth() <= static_cast<std::uint32_t>(frame_.limits.roulette_from))
            return largest(next.ray.weight) > 0;
        constexpr float kMost = 0.98f;
        float carried = largest(next.ray.weight) / next.trail.compression;
        if (carried >= frame_.limits.roulette_below) return true;
        float keep = minimum(carried / minimum(frame_.limits.roulette_below, 1.0f), kMost);
        if (!(numbers.roulette() < keep)) return false;
        next.ray.weight /= keep;
        return true;
    }

    const PathTracerFrame& frame_;
    const SceneView& scene_;
};

TL_DEVICE_END
