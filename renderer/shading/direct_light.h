// Direct lighting at a surface by next-event estimation: samples of every light source, with a
// shadow ray each.
#pragma once

#include "accel/bvh/traversal/tracer.h"
#include "renderer/optics/fresnel.h"
#include "renderer/shading/bsdf.h"
#include "renderer/shading/cutouts.h"
#include "renderer/shading/lights.h"
#include "renderer/shading/media.h"
#include "renderer/shading/sampler.h"
#include "renderer/shading/surface.h"
#include "renderer/shading/terminator.h"

TL_DEVICE_BEGIN

/// Whether shadow rays may stop at any hit. Glass or holes that let light through need the closest
/// hit. No any-hit ray is traced before it, since an unoccluded ray costs as much either way.
TL_HD inline bool any_hit_shadows(const SceneView& scene) {
    return !scene.glass_passes_light && !scene.has_cutouts;
}

/// Maximum number of rays traced for one shadow ray, each from one glass surface to the next. Light
/// behind that many glass surfaces does not arrive.
inline constexpr std::uint32_t kMostGlassInLight = 32;

/// A shadow ray that passes straight through glass, and the dielectrics that contain its origin.
struct LightPath {
    Ray ray;
    Media media;
    vec3 transmittance;  ///< so far
};

/// Whether a hit lies on a triangle without smooth shading.
TL_HD inline bool is_facet(const SceneView& scene, const Hit& hit, const Surface& s) {
    PrimitiveKind kind = kind_of(scene, hit);
    return (kind == PrimitiveKind::triangle || kind == PrimitiveKind::instance) && !is_smooth(s);
}

/// Fresnel reflectance of an interface that light crosses without bending, at an angle of unsigned
/// `cosine`. On both faces it is the reflectance for light from the thinner medium, so that there
/// is no total internal reflection. `eta`: ratio of both indices, either way round. Sets `cos_t`,
/// the cosine in the denser medium.
TL_HD inline float straight_reflectance(float cosine, float eta, float& cos_t) {
    eta = minimum(eta, 1 / eta);
    cos_t = sqrtf(maximum(fmaf(-eta * eta, fmaf(-cosine, cosine, 1.0f), 1.0f), 0.0f));
    return fresnel_dielectric(cosine, cos_t, eta);
}

/// Whether a shadow ray passes the surface that it hits, which must be glass. Light passes without
/// bending, attenuated by tint, absorption and reflection at each surface. Caustics are not found
/// this way; a renderer that finds them must set SceneView::glass_passes_light to false. Updates
/// `light`: its ray then starts behind the surface and keeps its end point.
TL_HD inline bool pass_through_glass(const SceneView& scene, const Hit& hit, LightPath& light) {
    Ray& ray = light.ray;
    Surface s = surface_at(scene, ray, hit);
    const MaterialData& m = *s.material;
    if (m.kind != MaterialKind::dielectric || !scene.glass_passes_light) return false;
    float cosine = minimum(fused_dot(s.geometric_normal, ray.direction), 1.0f);
    bool from_inside = cosine > 0;
    std::uint32_t here = light.media.current(scene);
    Interface face = interface_at(scene, light.media, here, m, from_inside);
    float cos_t = 1;
    if (face.is_real)
        light.transmittance *=
            m.transmission * (1 - straight_reflectance(fabsf(cosine), face.eta, cos_t));
    if (scene.media_matter && (here || from_inside)) {
        // `here` is 0 inside a dielectric that was not found at the path's start, or was dropped.
        const MaterialData& passed = here == 0 || here == m.medium ? m : scene.medium(here);
        // A flat slab: the length of the refracted path, which is bent at both faces.
        bool is_slab = face.is_real && from_inside && is_facet(scene, hit, s);
        light.transmittance *=
            absorbed(passed.absorption, is_slab ? hit.t * (cosine / cos_t) : hit.t);
    }
    light.media = face.beyond;
    vec3 beyond = from_inside ? s.geometric_normal : -s.geometric_normal;
    vec3 end = fused(ray.t_max, ray.direction, ray.origin);
    ray.origin = start_of_rays(s, s.position, beyond);
    ray.on_patch = s.on_patch;
    ray.t_min = 0;
    if (ray.t_max < kInfinity) ray.t_max = fused_dot(end - ray.origin, ray.direction);
    return true;
}

/// Transmittance along a shadow ray; 0 if it is occluded. `media` contain the origin; holes
/// transmit all light. Adds the number of rays traced to `n_rays`.
template <class Tracer>
TL_D vec3 light_that_passes(const Tracer& tracer, const SceneView& scene, const Ray& shadow,
                            Media media, std::uint32_t& n_rays) {
    bool any = any_hit_shadows(scene);
    LightPath light{shadow, media, vec3(1)};
    for (std::uint32_t i = 0; i < kMostGlassInLight; ++i) {
        ++n_rays;
        announce(tracer, RayPurpose::shadow);
        Hit hit = closest_or_any_solid(tracer, scene, light.ray, any);
        if (!hit.found())
            return light.transmittance * absorbed(scene, light.media, light.ray.t_max);
        if (any || !pass_through_glass(scene, hit, light)) return vec3(0);
    }
    return vec3(0);
}

/// A shading point, and the direction towards the viewer.
struct ShadingContext {
    const MaterialData* material;
    vec3 albedo;
    vec3 position;
    vec3 origin;               ///< origin of shadow rays
    vec3 normal;               ///< unit, for shading
    vec3 horizon_normal;       ///< unit; light from below its plane is ignored
    vec3 to_viewer;            ///< unit
    PatchPosition on_patch{};  ///< Ray::on_patch of shadow rays
    Media media{};             ///< dielectrics that contain the point, on the viewer's side
};

/// The shadow ray from `origin`, close to the shading point `position`, to the point on the light
/// that was sampled from `position`. Its direction has only about unit length. It ends short of the
/// light, whose own surface is in the tree. The margin grows with the distance from the scene's
/// origin, since coordinates there are rounded more.
TL_HD inline Ray ray_to_light(const LightSample& sample, vec3 position, vec3 origin,
                              PatchPosition from) {
    constexpr float kRounding = 0x1p-21f;
    vec3 offset = position - origin;
    Ray ray;
    ray.origin = origin;
    ray.on_patch = from;
    ray.direction = fused(sample.inverse_distance, offset, sample.direction);
    float margin = fmaf(kRounding, one_norm(position), one_norm(offset));
    ray.t_max = fmaf(sample.distance, 0.9999f, -margin);
    return ray;
}

/// Shadow rays per light: `n_samples` for lights with an extent, one for others.
TL_HD inline std::uint32_t shadow_rays_of(const LightData& light, int n_samples) {
    return is_wide(light) ? static_cast<std::uint32_t>(n_samples) : 1;
}

/// Position in a loop over the samples of all lights: the light, and the index of its sample point.
struct LightCursor {
    std::uint32_t light = 0, point = 0;

    [[nodiscard]] TL_HD bool done(const SceneView& scene) const { return light >= scene.n_lights; }
    /// Moves past one of the light's `n` points.
    TL_HD void advance(std::uint32_t n) {
        if (++point >= n) ++light, point = 0;
    }
};

/// Sets the shadow ray to a light, and the radiance that leaves towards the viewer if that ray is
/// unoccluded. `i`: index of the sample point in the sequence `points`. `n`: number of shadow rays
/// to the light, by which the radiance is divided. Returns false if none can reach the viewer.
TL_D inline bool shadow_ray_to(const LightData& light, const ShadingContext& context,
                               const SamplePair& points, std::uint32_t i, std::uint32_t n,
                               Ray& shadow, vec3& radiance) {
    LightSample sample;
    vec2 r = is_wide(light) ? points.point(i) : vec2(0);
    if (!sample_light(light, context.position, r.x, r.y, sample)) return false;
    if (fused_dot(context.horizon_normal, sample.direction) <= 0) return false;
    vec3 fraction = reflected_fraction(*context.material, context.albedo, context.normal,
                                       context.to_viewer, sample.direction);
    if (fraction == vec3(0)) return false;
    shadow = ray_to_light(sample, context.position, context.origin, context.on_patch);
    radiance = fraction * (sample.radiance * sample.inverse_density) / static_cast<float>(n);
    return true;
}

/// Sets the shadow ray to the light sample at the cursor and its radiance by shadow_ray_to(), and
/// moves the cursor on. Returns false if no light from there can reach the viewer. Each light uses
/// its own pair of the sampler, from the next one on. `n_samples`: points per light with an extent.
TL_D inline bool next_shadow_ray(LightCursor& at, const SceneView& scene,
                                 const ShadingContext& context, int n_samples,
                                 const Sampler& sampler, Ray& shadow, vec3& radiance) {
    const LightData& light = scene.lights[at.light];
    std::uint32_t n = shadow_rays_of(light, n_samples);
    bool found = shadow_ray_to(light, context, sampler.pair(at.light),
                               sampler.sample() * n + at.point, n, shadow, radiance);
    at.advance(n);
    return found;
}

/// Exitant radiance towards the viewer by direct lighting from every source. Traces `n_samples`
/// shadow rays to each area light and the environment, and one to each other light. Adds the number
/// of rays traced to `n_rays`, those that continue behind glass included.
template <class Tracer>
TL_D vec3 direct_light(const Tracer& tracer, const SceneView& scene, const ShadingContext& context,
                       int n_samples, const Sampler& sampler, std::uint32_t& n_rays) {
    vec3 sum(0);
    for (LightCursor at; !at.done(scene);) {
        Ray shadow;
        vec3 radiance;
        if (next_shadow_ray(at, scene, context, n_samples, sampler, shadow, radiance))
            sum += radiance * light_that_passes(tracer, scene, shadow, context.media, n_rays);
    }
    return sum;
}

TL_DEVICE_END
