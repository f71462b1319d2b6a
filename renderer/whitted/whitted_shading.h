// What happens where a ray of the Whitted tracer ends, the same in every pipeline: light that
// leaves towards the ray's origin, and the rays that go on.
#pragma once

#include "renderer/shading/camera_rays.h"
#include "renderer/shading/direct_light.h"
#include "renderer/shading/environment.h"
#include "renderer/shading/media.h"
#include "renderer/shading/normal_map.h"
#include "renderer/shading/ray_cone.h"
#include "renderer/shading/terminator.h"
#include "renderer/whitted/whitted_config.h"

TL_DEVICE_BEGIN

/// A ray of a pixel's tree. Aligned for loads and stores of 16 bytes, of which it is four.
struct alignas(16) WhittedRay {
    vec3 origin;
    std::uint32_t pixel;
    vec3 direction;
    std::uint32_t path;  ///< 1 for a camera ray; of others it names the bounces before them
    vec3 weight;         ///< of its radiance in the pixel
    std::uint32_t depth_and_media;  ///< bounces so far, above the bits of the media
    PackedCone cone;                ///< kept where the scene has textures
    PatchPlace from{};              ///< where it starts, if on a patch

    [[nodiscard]] TL_HD std::uint32_t depth() const { return depth_and_media >> Media::kBits; }
    [[nodiscard]] TL_HD Media media() const { return {depth_and_media & Media::kMask}; }
};
static_assert(sizeof(WhittedRay) == 64);

TL_HD inline float largest(vec3 v) {
    return maximum(v.x, maximum(v.y, v.z));
}

/// The path of a ray that goes on as branch 0 (reflected) or 1 (refracted): distinct to 32 bounces
/// but for what a 32-bit hash brings together.
TL_HD inline std::uint32_t next_path(std::uint32_t path, std::uint32_t branch) {
    return hash_bits(path * 2 + branch);
}

TL_HD inline Ray as_ray(const WhittedRay& r) {
    Ray ray;
    ray.origin = r.origin;
    ray.direction = r.direction;
    ray.from = r.from;
    return ray;
}

/// A hit, with normals that face the ray.
struct WhittedHit {
    Surface surface;
    vec3 normal;  ///< shading
    vec3 side;    ///< geometric
    vec3 passed;  ///< of the light from here to the ray's origin: what absorption leaves
    RayCone cone;
    float footprint;  ///< width in texture coordinates
    float curvature;  ///< of what is specular, as the ray sees it
    bool from_inside;

    [[nodiscard]] TL_HD vec3 emitted() const {
        return from_inside ? vec3(0) : surface.material->emission;
    }
    [[nodiscard]] TL_HD bool is_specular() const {
        return surface.material->kind == MaterialKind::mirror ||
               surface.material->kind == MaterialKind::dielectric;
    }
};

/// In a scene with textures: what the ray's cone comes to, and the map of the shading normal, which
/// is on the outside here.
TL_HD TL_OUT_OF_LINE void look_up_textures(const SceneView& scene, const WhittedRay& from,
                                           const Hit& hit, WhittedHit& h) {
    const MaterialData& m = *h.surface.material;
    h.cone = from.cone.cone().after(hit.t);
    if (m.diffuse_texture >= 0 || m.normal_texture >= 0)
        h.footprint = uv_footprint(scene, hit, h.surface, from.direction, h.cone.width);
    h.normal = mapped_normal(scene, hit, h.surface, h.footprint);
    if (h.is_specular())
        h.curvature = h.from_inside ? -curvature_of(scene, hit) : curvature_of(scene, hit);
}

TL_HD inline WhittedHit whitted_hit(const SceneView& scene, const WhittedRay& from,
                                    const Hit& hit) {
    WhittedHit h;
    h.surface = surface_at(scene, as_ray(from), hit);
    const Surface& s = h.surface;
    h.from_inside = fused_dot(s.geometric_normal, from.direction) > 0;
    h.normal = s.normal;
    h.cone = {0, 0};
    h.footprint = h.curvature = 0;
    if (scene.textures) look_up_textures(scene, from, hit, h);
    h.side = h.from_inside ? -s.geometric_normal : s.geometric_normal;
    if (h.from_inside) h.normal = -h.normal;
    // A shading normal that turns away from the viewer would reflect into the surface.
    if (fused_dot(h.normal, from.direction) >= 0) h.normal = h.side;
    if (h.is_specular()) h.normal = reflecting_outward(h.normal, h.side, from.direction);
    std::uint32_t medium = from.media().current(scene);
    h.passed = medium ? absorbed(scene.medium(medium).absorption, hit.t) : vec3(1);
    return h;
}

/// The rays that go on from a mirror or dielectric: none, one or two, the reflected one first.
struct WhittedBounce {
    vec3 origins[2], directions[2];
    vec3 weights[2];  ///< of their radiance in that of the ray they come from
    std::uint32_t branches[2];
    Media media[2];
    RayCone cones[2];
    PatchPlace from;  ///< of both
    int count = 0;
};

TL_HD inline void add_bounce(WhittedBounce& bounce, const WhittedConfig& config,
                             const WhittedHit& h, vec3 direction, vec3 weight, vec3 in_pixel,
                             std::uint32_t branch, Media media, RayCone cone) {
    weight *= h.passed;
    float counts = largest(weight * in_pixel);
    // A ray that is not there, or counts too little.
    if (!(counts > 0) || counts < config.cutoff) return;
    // The ray leaves on the side of the surface that its direction points to.
    vec3 normal = fused_dot(direction, h.side) > 0 ? h.side : -h.side;
    bounce.origins[bounce.count] = start_of_rays(h.surface, h.surface.position, normal);
    bounce.directions[bounce.count] = direction;
    bounce.weights[bounce.count] = weight;
    bounce.branches[bounce.count] = branch;
    bounce.media[bounce.count] = media;
    bounce.cones[bounce.count] = cone;
    bounce.from = h.surface.place;
    ++bounce.count;
}

/// The cone behind a mirror, which scenes without textures need not know.
TL_HD inline RayCone reflected_cone(const SceneView& scene, const WhittedHit& h, float cos_i) {
    return scene.textures ? h.cone.reflected(h.curvature, cos_i) : h.cone;
}

/// The rays that go on at a dielectric's surface.
TL_HD inline void add_dielectric(WhittedBounce& bounce, const SceneView& scene,
                                 const WhittedConfig& config, const WhittedRay& from,
                                 const WhittedHit& h, vec3 in_pixel) {
    const MaterialData& m = *h.surface.material;
    Interface face = interface_at(scene, from.media(), m, h.from_inside);
    if (!face.is_real)
        return add_bounce(bounce, config, h, from.direction, vec3(1), in_pixel, 1, face.beyond,
                          h.cone);
    vec3 refracted(0);
    float cos_i = minimum(-fused_dot(from.direction, h.normal), 1.0f);
    float cos_t, reflectance = 1;
    bool passes = refract_direction(from.direction, h.normal, face.eta, refracted, cos_t);
    if (passes) {
        reflectance = config.fresnel == static_cast<int>(FresnelModel::schlick)
                          ? fresnel_schlick(cos_i, cos_t, face.eta)
                          : fresnel_dielectric(cos_i, cos_t, face.eta);
    }
    add_bounce(bounce, config, h, reflect_direction(from.direction, h.normal),
               m.specular * reflectance, in_pixel, 0, from.media(),
               reflected_cone(scene, h, cos_i));
    if (passes)
        add_bounce(bounce, config, h, refracted, m.transmission * (1 - reflectance), in_pixel, 1,
                   face.beyond,
                   scene.textures ? h.cone.refracted(h.curvature, cos_i, face.eta) : h.cone);
}

/// `in_pixel`: what of `from`'s weight arrives in the pixel.
TL_HD inline WhittedBounce whitted_bounce(const SceneView& scene, const WhittedConfig& config,
                                          const WhittedRay& from, const WhittedHit& h,
                                          vec3 in_pixel = vec3(1)) {
    WhittedBounce bounce;
    if (!h.is_specular() || from.depth() >= static_cast<std::uint32_t>(config.max_depth))
        return bounce;
    in_pixel *= from.weight;
    const MaterialData& m = *h.surface.material;
    if (m.kind == MaterialKind::dielectric)
        add_dielectric(bounce, scene, config, from, h, in_pixel);
    else
        add_bounce(bounce, config, h, reflect_direction(from.direction, h.normal), m.specular,
                   in_pixel, 0, from.media(),
                   reflected_cone(scene, h, -fused_dot(from.direction, h.normal)));
    return bounce;
}

/// The ray of a bounce's `k`th branch.
TL_HD inline WhittedRay bounced_ray(const WhittedRay& from, const WhittedBounce& bounce, int k) {
    return {bounce.origins[k],
            from.pixel,
            bounce.directions[k],
            next_path(from.path, bounce.branches[k]),
            from.weight * bounce.weights[k],
            (from.depth() + 1) << Media::kBits | bounce.media[k].bits,
            PackedCone::of(bounce.cones[k]),
            bounce.from};
}

/// What kernels need besides rays.
struct WhittedFrame {
    SceneView scene;
    WhittedConfig config;
    SamplePattern pattern;
    std::uint64_t seed;
    std::uint32_t sample;
    PackedCone cone;  ///< of camera rays: everywhere that of a pixel in the middle of the picture
};

/// Whether rays that leave the scene see the same in every direction.
TL_HD inline bool misses_look_alike(const SceneView& scene) {
    return !scene.environment;
}

/// The camera's ray for the frame's sample of pixel (x, y).
TL_HD inline WhittedRay whitted_camera_ray(const CameraRays& camera, const WhittedFrame& frame,
                                           std::uint32_t x, std::uint32_t y, std::uint32_t pixel) {
    Sampler sampler(frame.pattern, frame.seed, pixel, frame.sample);
    Ray ray = camera.sample(x, y, sampler);
    return {ray.origin, pixel, ray.direction, 1, vec3(1), 0, frame.cone};
}

/// Where light arrives that a ray sees at its hit.
TL_D inline LitPlace lit_place(const WhittedFrame& frame, const WhittedRay& ray, const Hit& hit,
                               const WhittedHit& h) {
    const Surface& s = h.surface;
    LitPlace place;
    place.material = s.material;
    place.albedo = albedo_of(frame.scene, s, h.footprint);
    place.position = s.position;
    place.normal = h.normal;
    place.horizon = h.side;
    place.to_viewer = -ray.direction;
    if (frame.config.smooth_terminator && is_smooth(s)) {
        place.position += to_smooth_surface(frame.scene, hit, s, h.from_inside);
        place.horizon = h.from_inside ? -s.normal : s.normal;
    }
    place.origin = start_of_rays(s, place.position, h.side);
    place.from = s.place;
    return place;
}

/// Ambient and direct light that a hit on what is neither mirror nor glass sends back. Every ray
/// has numbers of its own, whatever the order in which rays are followed. Adds its shadow rays to
/// `n_rays`.
template <class Tracer>
TL_D vec3 lit_radiance(const Tracer& tracer, const WhittedFrame& frame, const WhittedRay& ray,
                       const Hit& hit, const WhittedHit& h, std::uint32_t& n_rays) {
    LitPlace place = lit_place(frame, ray, hit, h);
    vec3 radiance = frame.config.ambient * place.albedo;
    Sampler sampler(frame.pattern, frame.seed, ray.pixel, frame.sample, ray.path);
    radiance += direct_light(tracer, frame.scene, place, frame.config.light_samples,
                             frame.config.shadows, sampler, n_rays);
    return h.passed * radiance;
}

/// A ray as it waits on a stack: kernels of scenes without patches do not keep the place on one.
template <bool kPatches>
struct WaitingRay {
    WhittedRay ray;

    TL_HD void keep(const WhittedRay& kept) { ray = kept; }
    [[nodiscard]] TL_HD WhittedRay get() const { return ray; }
};
template <>
struct WaitingRay<false> {
    vec3 origin, direction, weight;
    std::uint32_t pixel, path, depth_and_media;
    PackedCone cone;

    TL_HD void keep(const WhittedRay& kept) {
        origin = kept.origin, direction = kept.direction, weight = kept.weight;
        pixel = kept.pixel, path = kept.path, depth_and_media = kept.depth_and_media;
        cone = kept.cone;
    }
    [[nodiscard]] TL_HD WhittedRay get() const {
        return {origin, pixel, direction, path, weight, depth_and_media, cone};
    }
};

/// The radiance of a ray and all that come of it, depth first; rays wait on a small stack with
/// their weight in the result, of which `in_pixel` arrives in the pixel. `known`: the first ray's
/// hit, if it was traced before.
template <class Tracer>
TL_D vec3 follow_depth_first(const Tracer& tracer, const WhittedFrame& frame,
                             const WhittedRay& first, vec3 in_pixel, std::uint32_t& n_rays,
                             const Hit* known = nullptr) {
    WaitingRay<Tracer::kPatches> waiting[WhittedConfig::kMaxDepth + 1];
    int n_waiting = 0;
    WhittedRay from = first;
    vec3 sum(0);
    while (true) {
        Ray ray = as_ray(from);
        ++n_rays;
        announce(tracer, from.depth() ? RayPurpose::secondary : RayPurpose::camera);
        Hit hit = known ? *known : closest_solid(tracer, frame.scene, ray);
        known = nullptr;
        int n_bounced = 0;
        if (hit.found()) {
            WhittedHit h = whitted_hit(frame.scene, from, hit);
            sum += from.weight * h.passed * h.emitted();
            // One way or the other: what both need would cost the kernel a third more registers.
            if (!h.is_specular()) {
                sum += from.weight * lit_radiance(tracer, frame, from, hit, h, n_rays);
            } else {
                WhittedBounce bounce = whitted_bounce(frame.scene, frame.config, from, h, in_pixel);
                n_bounced = bounce.count;
                // The last one goes on at once: rays that never split touch no memory.
                if (n_bounced == 2) waiting[n_waiting++].keep(bounced_ray(from, bounce, 0));
                if (n_bounced > 0) from = bounced_ray(from, bounce, n_bounced - 1);
            }
        } else {
            sum += from.weight * background_radiance(frame.scene, from.direction);
        }
        if (n_bounced > 0) continue;
        if (n_waiting == 0) return sum;
        from = waiting[--n_waiting].get();
    }
}

TL_DEVICE_END
