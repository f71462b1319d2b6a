// Light straight from sources at a point of a diffuse surface, by the choice of lights and the
// weights of paths from the camera (renderer/paths/follow_path.h).
#pragma once

#include "renderer/paths/follow_path.h"
#include "renderer/shading/cutouts.h"

TL_DEVICE_BEGIN

/// A place that receives light on one side.
struct ReceivingPlace {
    vec3 position;
    vec3 start;   ///< of rays, off the surface
    vec3 normal;  ///< unit, on the side that receives
};

/// Random numbers in [0, 1) for one sample of the light at a place.
struct LightNumbers {
    float choice;    ///< of the light
    vec2 on_light;   ///< the place on it
    vec2 direction;  ///< of the hemisphere

    TL_D static LightNumbers of(const PathFrame& frame, std::uint32_t item, std::uint32_t i) {
        Sampler sampler(frame.pattern, frame.seed, item, 0);
        return {sampler.pair(0).point(i).x, sampler.pair(1).point(i), sampler.pair(2).point(i)};
    }
};

template <class Tracer>
class PointLight {
  public:
    TL_D PointLight(const Tracer& tracer, const PathTracerFrame& frame)
        : tracer_(tracer), frame_(frame), scene_(frame.scene) {}

    /// One sample of the irradiance by lights and glowing surfaces, W/m^2.
    [[nodiscard]] TL_D vec3 irradiance(const ReceivingPlace& place, const LightNumbers& r) const {
        vec3 sum(0);
        if (scene_.search.n_choices() > 0) sum += of_a_light(place, r);
        if (scene_.has_visible_light) sum += of_what_is_met(place, r);
        return sum;
    }
    /// Where a ray that leaves the place evenly spread over the cosine meets a surface; false where
    /// it meets none.
    [[nodiscard]] TL_D bool next(const ReceivingPlace& place, vec2 r, ReceivingPlace& met) const {
        PathRay ray = leaving(place, r);
        Hit hit = closest(ray);
        if (!hit.found()) return false;
        PathHit h = path_hit(scene_, ray, hit);
        met = {h.surface.position, start_of_rays(h.surface, h.surface.position, h.side), h.side};
        return true;
    }

    /// Whether such a ray meets a surface that may send diffuse light.
    [[nodiscard]] TL_D bool meets_diffuse(const ReceivingPlace& place, vec2 r) const {
        PathRay ray = leaving(place, r);
        Hit hit = closest(ray);
        return hit.found() && !is_smooth_specular(scene_, material_at(scene_, hit));
    }

  private:
    [[nodiscard]] TL_D PathRay leaving(const ReceivingPlace& place, vec2 r) const {
        return {place.start,        0,          cosine_direction(place.normal, r), 1, vec3(1),
                1u << Media::kBits, frame_.cone};
    }
    [[nodiscard]] TL_D Hit closest(const PathRay& ray) const {
        Ray traced = as_ray(ray);
        return closest_solid(tracer_, scene_, traced);
    }
    TL_D vec3 of_a_light(const ReceivingPlace& place, const LightNumbers& r) const {
        ChosenLight chosen =
            choose_any_light(scene_.search, place.position, place.normal, false, r.choice);
        if (!(chosen.probability > 0)) return vec3(0);
        const LightData& light = scene_.lights[chosen.index];
        LightSample sample;
        if (!sample_any_light(scene_, light, place.position, r.on_light.x, r.on_light.y, sample))
            return vec3(0);
        float cosine = fused_dot(place.normal, sample.direction);
        if (!(cosine > 0)) return vec3(0);
        if (scene_.has_textured_lights && light.textured_material >= 0)
            sample.radiance *= texture_of_sample(scene_, light, place.position, r.on_light.x,
                                                 r.on_light.y, sample);
        float mis = 1;
        if (is_emissive_surface(scene_, light) || is_wide(light))
            mis = mis_weight(chosen.probability / sample.inverse_density, cosine / kPi);
        vec3 light_there =
            sample.radiance * (cosine * sample.inverse_density * mis / chosen.probability);
        if (light_there == vec3(0)) return vec3(0);
        Ray shadow = ray_to_light(sample, place.position, place.start, {});
        bool is_blocked =
            closest_or_any_solid(tracer_, scene_, shadow, any_hit_shadows(scene_)).found();
        return is_blocked ? vec3(0) : light_there;
    }
    /// What a ray finds that is spread as light arrives.
    TL_D vec3 of_what_is_met(const ReceivingPlace& place, const LightNumbers& r) const {
        PathTip tip{leaving(place, r.direction), PathTrail::of_camera_ray()};
        tip.trail.pdf = fused_dot(place.normal, tip.ray.direction) / kPi;
        if (!(tip.trail.pdf > 0)) return vec3(0);
        tip.trail.lit_from = place.position;
        tip.trail.lit_normal = place.normal;
        tip.trail.n_scattered = 1;
        PathFollower follower(frame_);
        Hit hit = closest(tip.ray);
        if (!hit.found()) return kPi * follower.miss(tip);
        struct GoesNoFurther {
            TL_D void direct(const DirectSample&) const {}
            TL_D void next(const PathTip&) const {}
        };
        return kPi * follower.meet(tip, hit, GoesNoFurther{});
    }

    const Tracer& tracer_;
    const PathTracerFrame& frame_;  ///< of paths that end at the first surface they meet
    const SceneView& scene_;
};

TL_DEVICE_END
