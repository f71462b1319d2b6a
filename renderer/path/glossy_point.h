// Gloss by distributed rays (Cook, Porter & Carpenter 1984, "Distributed ray tracing"). A glossy
// surface sends on one reflected ray, and a rough dielectric also one refracted ray, each in a
// direction sampled from its lobe. Fresnel's equations weight the two rays, as at smooth glass.
// Lights are sampled as well. Light that both techniques find, that of lights with an extent, is
// weighted by MIS. Radiance is without the eta^2 of refractions, as everywhere along these rays.
#pragma once

#include "renderer/path/gloss.h"
#include "renderer/path/mis_weight.h"
#include "renderer/path/surface_interaction.h"

TL_DEVICE_BEGIN

/// A glossy surface's BSDF times the cosine, 1/sr, for one direction to a light.
struct GlossyValue {
    vec3 matte{0};   ///< of the diffuse lobe, over which no rays are distributed
    vec3 glossy{0};  ///< of all other lobes
    float pdf = 0;   ///< density of the distributed ray of that side, 1/sr
};

/// A ray to a light sample of a glossy point.
struct GlossyLight {
    Ray shadow;
    vec3 radiance;    ///< towards the viewer, if nothing is in the way
    vec3 past_glass;  ///< fraction of it that may come through glass
    Media media;      ///< dielectrics that contain the ray's origin
};

/// A hit on a glossy surface (is_glossy).
class GlossyPoint {
  public:
    GlossyPoint() = default;
    /// `sends_rays`: whether rays are distributed. Where none are, light samples count in full.
    TL_D GlossyPoint(const SceneView& scene, const PathRay& from, const Hit& hit, const PathHit& h,
                     bool smooth_terminator, bool sends_rays)
        : at_(surface_interaction(scene, from, hit, h, smooth_terminator)),
          hit_(h),
          sends_rays_(sends_rays) {}

    /// False where another dielectric fills both sides: one ray continues straight, and no light is
    /// sampled.
    [[nodiscard]] TL_D bool is_real() const { return at_.face.is_real; }
    /// Albedo of the diffuse lobe.
    [[nodiscard]] TL_D vec3 matte_albedo() const { return is_phong() ? at_.lit.albedo : vec3(0); }

    /// Sets `out` to the light sample at the cursor, and moves the cursor on; as next_shadow_ray().
    /// Glass occludes the shadow rays of glossy lobes: only traced rays find the light behind it.
    [[nodiscard]] TL_D bool next_light(LightCursor& cursor, const SceneView& scene, int n_samples,
                                       const Sampler& sampler, GlossyLight& out) const {
        const LightData& light = scene.lights[cursor.light];
        std::uint32_t n = shadow_rays_of(light, n_samples);
        std::uint32_t i = sampler.sample() * n + cursor.point;
        vec2 r = is_wide(light) ? sampler.pair(cursor.light).point(i) : vec2(0);
        cursor.advance(n);
        LightSample sample;
        if (!sample_light(light, at_.lit.position, r.x, r.y, sample) ||
            !is_open(hit_, at_, sample.direction))
            return false;
        GlossyValue value = value_for(*this, sample.direction);
        if (sends_rays_ && is_wide(light))
            value.glossy *= mis_weight(static_cast<float>(n) / sample.inverse_density, value.pdf);
        vec3 fraction = value.matte + value.glossy;
        if (fraction == vec3(0)) return false;
        out.shadow = ray_to_light(sample, at_.lit.position,
                                  origin_towards(hit_, at_, sample.direction), at_.lit.on_patch);
        out.radiance =
            fraction * (sample.radiance * sample.inverse_density) / static_cast<float>(n);
        for (int c = 0; c < 3; ++c)
            out.past_glass[c] = value.matte[c] > 0 ? value.matte[c] / fraction[c] : 0.0f;
        out.media = media_towards(sample.direction);
        return true;
    }

    /// Calls emit(PathRay, density) for each ray that continues from the point: at most one on each
    /// side, the reflected one first. `density`, 1/sr, is that of its direction; 0 if there is no
    /// choice. Leaves out rays for which is_kept(weight) is false, where the weight is the factor
    /// of the throughput. `choice` in [0, 1) selects the lobe, `r` the direction.
    template <class Keep, class Emit>
    TL_D void for_each_ray(const PathRay& from, float choice, vec2 r, Keep&& is_kept,
                           Emit&& emit) const {
        if (!is_real()) {
            if (is_kept(hit_.transmittance))
                emit(bounced_ray(
                         from, hit_,
                         {from.direction, hit_.transmittance, 1, at_.face.beyond, hit_.cone}),
                     0.0f);
            return;
        }
        const Directions drawn = directions(*this, choice, r);
        for (std::uint32_t branch = 0; branch < 2; ++branch) {
            vec3 direction = branch ? drawn.refracted : drawn.reflected;
            if (direction == vec3(0) || is_through(direction) != (branch == 1) ||
                !is_open(hit_, at_, direction))
                continue;
            GlossyValue value = value_for(*this, direction);
            if (!(value.pdf > 0)) continue;
            vec3 weight = hit_.transmittance * (value.glossy / value.pdf);
            if (!is_kept(weight)) continue;
            emit(PathRay{origin_towards(hit_, at_, direction), from.pixel, direction,
                         next_path_id(from.path_id, branch), from.throughput * weight,
                         (from.depth() + 1) << Media::kBits | media_towards(direction).bits,
                         PackedCone::of(hit_.cone), hit_.surface.on_patch},
                 value.pdf);
        }
    }

  private:
    /// Unit directions of the rays on both sides; 0 where there is none.
    struct Directions {
        vec3 reflected{0}, refracted{0};
    };

    [[nodiscard]] TL_D bool is_phong() const {
        return at_.lit.material->kind == MaterialKind::phong;
    }
    [[nodiscard]] TL_D bool is_through(vec3 direction) const {
        return fused_dot(at_.lit.normal, direction) <= 0;
    }
    [[nodiscard]] TL_D Media media_towards(vec3 direction) const {
        return is_through(direction) ? at_.face.beyond : at_.lit.media;
    }
    // Not inlined, as the lobes of Bsdf are not.
    [[nodiscard]] TL_D static TL_NO_INLINE GlossyValue value_for(const GlossyPoint& point,
                                                                 vec3 to_light) {
        const ShadingContext& lit = point.at_.lit;
        const Bsdf& bsdf = point.at_.bsdf;
        if (point.is_phong()) {
            float cosine = fused_dot(lit.normal, to_light);
            if (cosine <= 0) return {};
            PhongLobe lobe = bsdf.phong();
            return {cosine * LambertLobe{lit.albedo}.eval(),
                    cosine * lobe.eval(lit.normal, lit.to_viewer, to_light, cosine),
                    lobe.pdf(lit.normal, lit.to_viewer, to_light)};
        }
        NormalFrame frame(lit.normal);
        vec3 o = frame.local(lit.to_viewer), i = frame.local(to_light);
        LobeValue value = lit.material->kind == MaterialKind::mirror
                              ? bsdf.conductor().value(o, i)
                              : bsdf.dielectric().value_of_both(o, i);
        float compression = i.z < 0 ? bsdf.eta * bsdf.eta : 1.0f;
        return {vec3(0), (fabsf(i.z) / compression) * value.bsdf, value.pdf};
    }
    [[nodiscard]] TL_D static TL_NO_INLINE Directions directions(const GlossyPoint& point,
                                                                 float choice, vec2 r) {
        const ShadingContext& lit = point.at_.lit;
        const Bsdf& bsdf = point.at_.bsdf;
        if (point.is_phong()) return {bsdf.phong().sample(lit.normal, lit.to_viewer, r), vec3(0)};
        NormalFrame frame(lit.normal);
        vec3 o = frame.local(lit.to_viewer);
        Directions local;
        if (lit.material->kind == MaterialKind::mirror)
            local.reflected = bsdf.conductor().sample(o, choice, r);
        else
            bsdf.dielectric().sample_both(o, choice, r, local.reflected, local.refracted);
        auto in_world = [&](vec3 d) { return d == vec3(0) ? d : fused_unit(frame.world(d)); };
        return {in_world(local.reflected), in_world(local.refracted)};
    }

    SurfaceInteraction at_;
    PathHit hit_;
    bool sends_rays_;
};

/// The pairs of a ray's sampler that select its lobe and direction at a glossy point. They follow
/// those of the lights (next_shadow_ray). The second number of the lobe's pair is free.
struct GlossyNumbers {
    vec2 direction, lobe;

    TL_D GlossyNumbers(const SceneView& scene, const Sampler& sampler)
        : direction(sampler.pair(scene.n_lights).point(sampler.sample())),
          lobe(sampler.pair(scene.n_lights + 1).point(sampler.sample())) {}
};

/// MIS weight of emission that a ray from a glossy point, drawn with `density`, finds at its hit.
/// `n_samples`: samples of each light with an extent at that point. 1 for rays of density 0.
TL_D inline float weight_of_emission(const SceneView& scene, float density, const Ray& ray,
                                     const Hit& hit, const Surface& surface, int n_samples) {
    std::int32_t light = density > 0 ? light_of(scene, surface) : -1;
    if (light < 0) return 1;
    return mis_weight(density,
                      static_cast<float>(n_samples) *
                          light_density(scene.lights[light], ray.origin, ray.direction, hit.t));
}
/// The same for the background that a ray finds which hits nothing. Call only where it is not
/// black.
TL_D inline float weight_of_background(const SceneView& scene, float density, vec3 direction,
                                       int n_samples) {
    if (!(density > 0) || !scene.environment) return 1;
    return mis_weight(density, static_cast<float>(n_samples) *
                                   environment_density(*scene.environment, direction));
}

TL_DEVICE_END
