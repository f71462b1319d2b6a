// One step of a path: a ray, its hit, the shading point there, and the rays that continue from
// mirrors and glass. Paths from the camera and from lights share this code.
#pragma once

#include "renderer/shading/camera_rays.h"
#include "renderer/shading/direct_light.h"
#include "renderer/shading/environment.h"
#include "renderer/shading/media.h"
#include "renderer/shading/normal_map.h"
#include "renderer/shading/ray_cone.h"
#include "renderer/shading/terminator.h"

TL_DEVICE_BEGIN

/// Data of a frame that all kernels with paths need: the scene, and the source of random numbers.
struct PathFrame {
    SceneView scene;
    SamplePattern pattern;
    std::uint64_t seed;    ///< of the random numbers
    std::uint32_t sample;  ///< index of the frame's sample, from 0
    PackedCone cone;       ///< of every camera ray; computed for the middle of the picture
};

/// A segment of a path. Aligned so that it is loaded and stored as four words of 16 bytes.
struct alignas(16) PathRay {
    vec3 origin;
    /// Index of the pixel, or of the path's first slot where paths may split (follow_path.h). On a
    /// path from a light, the number of the path instead.
    std::uint32_t pixel;
    vec3 direction;
    std::uint32_t path_id;          ///< 1 for a camera ray, else next_path_id() of the ray before
    vec3 throughput;                ///< factor of the ray's radiance in the pixel
    std::uint32_t depth_and_media;  ///< bounces so far, above the Media::kBits bits of the media
    PackedCone cone;                ///< at the origin; valid where the scene has textures
    PatchPosition on_patch{};       ///< start of the ray, if on a patch

    [[nodiscard]] TL_HD std::uint32_t depth() const { return depth_and_media >> Media::kBits; }
    [[nodiscard]] TL_HD Media media() const { return {depth_and_media & Media::kMask}; }
};
static_assert(sizeof(PathRay) == 64);

/// Returns PathRay::path_id of the next ray, at mirrors, glass and BSDF samples alike. `branch` is
/// 0 if that ray stays on the incoming ray's side of the surface, 1 if it crosses the surface. Two
/// sequences of branches give different values, except for collisions of the 32-bit hash.
TL_HD inline std::uint32_t next_path_id(std::uint32_t path_id, std::uint32_t branch) {
    return hash_bits(path_id * 2 + branch);
}

/// Converts a PathRay to the ray that is traced.
TL_HD inline Ray as_ray(const PathRay& r) {
    Ray ray;
    ray.origin = r.origin;
    ray.direction = r.direction;
    ray.on_patch = r.on_patch;
    return ray;
}

/// The surface at a ray's hit. Unit normals on the side from which the ray arrives.
struct PathHit {
    Surface surface;
    vec3 normal;  ///< shading normal
    vec3 geometric_normal;
    vec3 transmittance;  ///< from the ray's origin to the hit, by absorption
    RayCone cone;        ///< at the hit; 0 in a scene without textures
    float footprint;     ///< width of the cone in texture coordinates; 0 if no texture needs it
    /// Curvature of a mirror or dielectric, rad/m, above 0 if convex on the ray's side. 0 on other
    /// surfaces, and in a scene without textures.
    float curvature;
    bool from_inside;  ///< whether the surface's outward normal points away from the ray's origin

    /// Emission towards the ray's origin. The inside of a surface emits nothing.
    [[nodiscard]] TL_HD vec3 emitted(const SceneView& scene, const Hit& hit) const {
        return from_inside ? vec3(0) : emission_at(scene, surface, hit, footprint);
    }
    /// Whether the material is a mirror or dielectric, smooth or rough.
    [[nodiscard]] TL_HD bool is_specular() const { return sends_rays_on(*surface.material); }
};

/// Computes cone, footprint, curvature and normal-mapped shading normal of `h`. The normal is still
/// outward; path_hit() turns it. Needs h.surface and h.from_inside, and a footprint and curvature
/// of 0, which it sets only where they are in use. Call only in scenes with textures.
TL_HD TL_OUT_OF_LINE void look_up_textures(const SceneView& scene, const PathRay& from,
                                           const Hit& hit, PathHit& h) {
    const MaterialData& m = *h.surface.material;
    h.cone = from.cone.cone().after(hit.t);
    if (m.diffuse_texture >= 0 || m.normal_texture >= 0 || m.emission_texture >= 0 || m.layers >= 0)
        h.footprint = uv_footprint(scene, hit, h.surface, from.direction, h.cone.width);
    h.normal = mapped_normal(scene, hit, h.surface, h.footprint);
    if (h.is_specular())
        h.curvature = h.from_inside ? -curvature_of(scene, hit) : curvature_of(scene, hit);
}

/// Evaluates the surface at a hit of the ray `from`.
TL_HD inline PathHit path_hit(const SceneView& scene, const PathRay& from, const Hit& hit) {
    PathHit h;
    h.surface = surface_at(scene, as_ray(from), hit);
    const Surface& s = h.surface;
    h.from_inside = fused_dot(s.geometric_normal, from.direction) > 0;
    h.normal = s.normal;
    h.cone = {0, 0};
    h.footprint = h.curvature = 0;
    if (scene.textures) look_up_textures(scene, from, hit, h);
    h.geometric_normal = h.from_inside ? -s.geometric_normal : s.geometric_normal;
    if (h.from_inside) h.normal = -h.normal;
    // A shading normal that faces away from the viewer would reflect into the surface.
    if (fused_dot(h.normal, from.direction) >= 0) h.normal = h.geometric_normal;
    if (h.is_specular())
        h.normal = reflecting_outward(h.normal, h.geometric_normal, from.direction);
    h.transmittance = absorbed(scene, from.media(), hit.t);
    return h;
}

/// A ray that continues from a mirror or dielectric.
struct BouncedRay {
    vec3 direction;
    vec3 weight;           ///< factor of the throughput, without the eta^2 of a refraction
    std::uint32_t branch;  ///< argument of next_path_id(): 0 reflected, 1 refracted or passed
    Media media;           ///< dielectrics that contain the ray
    RayCone cone;          ///< at the ray's origin
};

/// Returns the ray cone after reflection at a hit. In a scene without textures, where no cone is in
/// use, it stays h.cone. `cos_i`: cosine of the angle of incidence.
TL_HD inline RayCone reflected_cone(const SceneView& scene, const PathHit& h, float cos_i) {
    return scene.textures ? h.cone.reflected(h.curvature, cos_i) : h.cone;
}

/// Implements for_each_bounce() at a dielectric. Where another dielectric fills both sides of the
/// surface (Interface::is_real), one ray continues straight, as branch 1.
template <class Keep, class Emit>
TL_HD void for_each_dielectric_bounce(const SceneView& scene, FresnelModel fresnel,
                                      const PathRay& from, const PathHit& h, Keep&& is_kept,
                                      Emit&& emit) {
    const MaterialData& m = *h.surface.material;
    Interface face = interface_at(scene, from.media(), m, h.from_inside);
    if (!face.is_real) {
        if (is_kept(h.transmittance))
            emit(BouncedRay{from.direction, h.transmittance, 1, face.beyond, h.cone}, false);
        return;
    }
    vec3 refracted(0);
    float cos_i = minimum(-fused_dot(from.direction, h.normal), 1.0f);
    float cos_t, reflectance = 1;
    bool passes = refract_direction(from.direction, h.normal, face.eta, refracted, cos_t);
    if (passes) {
        reflectance = fresnel == FresnelModel::schlick ? fresnel_schlick(cos_i, cos_t, face.eta)
                                                       : fresnel_dielectric(cos_i, cos_t, face.eta);
    }
    vec3 weight = m.transmission * (1 - reflectance) * h.transmittance;
    passes = passes && is_kept(weight);
    vec3 mirrored = m.specular * reflectance * h.transmittance;
    if (is_kept(mirrored))
        emit(BouncedRay{reflect_direction(from.direction, h.normal), mirrored, 0, from.media(),
                        reflected_cone(scene, h, cos_i)},
             passes);
    if (passes)
        emit(BouncedRay{refracted, weight, 1, face.beyond,
                        scene.textures ? h.cone.refracted(h.curvature, cos_i, face.eta) : h.cone},
             false);
}

/// Calls emit(BouncedRay, bool more) for each ray that continues from a mirror or dielectric. There
/// are none, one or two, the reflected one first; `more` is true if another one follows. Leaves out
/// rays for which is_kept(BouncedRay::weight) is false. `from`: the ray that hit the surface.
template <class Keep, class Emit>
TL_HD void for_each_bounce(const SceneView& scene, FresnelModel fresnel, const PathRay& from,
                           const PathHit& h, Keep&& is_kept, Emit&& emit) {
    const MaterialData& m = *h.surface.material;
    if (m.kind == MaterialKind::dielectric)
        return for_each_dielectric_bounce(scene, fresnel, from, h, is_kept, emit);
    vec3 mirrored = m.specular * h.transmittance;
    if (is_kept(mirrored))
        emit(BouncedRay{reflect_direction(from.direction, h.normal), mirrored, 0, from.media(),
                        reflected_cone(scene, h, -fused_dot(from.direction, h.normal))},
             false);
}

/// Whether the largest channel of a throughput is above 0 and at least `cutoff`.
TL_HD inline bool reaches_cutoff(vec3 throughput, float cutoff) {
    float largest_channel = largest(throughput);
    return largest_channel > 0 && largest_channel >= cutoff;
}

/// Converts a bounced ray to the PathRay after `from`, one bounce deeper. It starts on the side of
/// the surface that its direction points to.
TL_HD inline PathRay bounced_ray(const PathRay& from, const PathHit& h, const BouncedRay& ray) {
    vec3 normal =
        fused_dot(ray.direction, h.geometric_normal) > 0 ? h.geometric_normal : -h.geometric_normal;
    return {start_of_rays(h.surface, h.surface.position, normal),
            from.pixel,
            ray.direction,
            next_path_id(from.path_id, ray.branch),
            from.throughput * ray.weight,
            (from.depth() + 1) << Media::kBits | ray.media.bits,
            PackedCone::of(ray.cone),
            h.surface.on_patch};
}

/// Sets `next` to the bounced ray of the greatest weight, or to the reflected one on a tie. Returns
/// false, and leaves `next` unchanged, if no ray has a throughput of at least the cutoff, 0.001.
/// Serves renderers that never split paths. `next` may be the same object as `from`.
TL_HD inline bool strongest_bounce(const SceneView& scene, const PathRay& from, const PathHit& h,
                                   PathRay& next) {
    constexpr float kCutoff = 0.001f;
    if (!h.is_specular()) return false;
    BouncedRay strongest{};
    bool found = false;
    for_each_bounce(
        scene, FresnelModel::exact, from, h,
        [&](vec3 weight) { return reaches_cutoff(weight * from.throughput, kCutoff); },
        [&](const BouncedRay& ray, bool) {
            if (!found || largest(ray.weight) > largest(strongest.weight)) strongest = ray;
            found = true;
        });
    if (found) next = bounced_ray(from, h, strongest);
    return found;
}

/// Converts a camera ray to a PathRay. `pixel`: index of the pixel, y * width + x.
TL_HD inline PathRay camera_path_ray(const PathFrame& frame, const Ray& ray, std::uint32_t pixel) {
    return {ray.origin, pixel, ray.direction, 1, vec3(1), media_of_camera(frame.scene).bits,
            frame.cone};
}

/// Returns the camera ray of the frame's sample of pixel (x, y). `pixel`: index of that pixel,
/// y * width + x, which also selects the random numbers.
TL_HD inline PathRay camera_ray(const CameraRays& camera, const PathFrame& frame, std::uint32_t x,
                                std::uint32_t y, std::uint32_t pixel) {
    Sampler sampler(frame.pattern, frame.seed, pixel, frame.sample);
    return camera_path_ray(frame, camera.sample(x, y, sampler), pixel);
}

/// Returns the shading point at a ray's hit. `smooth_terminator`: if the surface has smooth shading
/// normals, moves the point to the smooth surface and takes the shading normal as its horizon
/// (terminator.h).
TL_D inline ShadingContext shading_context(const SceneView& scene, const PathRay& ray,
                                           const Hit& hit, const PathHit& h,
                                           bool smooth_terminator) {
    const Surface& s = h.surface;
    ShadingContext point;
    point.material = s.material;
    point.albedo = albedo_of(scene, s, hit, h.footprint);
    point.position = s.position;
    point.normal = h.normal;
    point.horizon_normal = h.geometric_normal;
    point.to_viewer = -ray.direction;
    if (smooth_terminator && is_smooth(s)) {
        point.position += to_smooth_surface(scene, hit, s, h.from_inside);
        point.horizon_normal = h.from_inside ? -s.normal : s.normal;
    }
    point.origin = start_of_rays(s, point.position, h.geometric_normal);
    point.on_patch = s.on_patch;
    point.media = ray.media();
    return point;
}

TL_DEVICE_END
