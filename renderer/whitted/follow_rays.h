// Depth-first tracing of all rays of a pixel by one thread. Rays carry their throughput forward, so
// that nothing is shaded on return. Path rays and shadow rays share one traversal call in the
// loop, so that the lanes of a warp traverse together whichever kind they trace.
#pragma once

#include "renderer/path/glossy_point.h"
#include "renderer/whitted/splitting.h"

TL_DEVICE_BEGIN

/// A ray on the stack: kernels of scenes without patches do not store PathRay::on_patch.
template <bool kPatches>
struct WaitingRay {
    PathRay ray;

    TL_HD void keep(const PathRay& kept) { ray = kept; }
    [[nodiscard]] TL_HD PathRay get() const { return ray; }
};
template <>
struct WaitingRay<false> {
    vec3 origin, direction, throughput;
    std::uint32_t pixel, path_id, depth_and_media;
    PackedCone cone;

    TL_HD void keep(const PathRay& kept) {
        origin = kept.origin, direction = kept.direction, throughput = kept.throughput;
        pixel = kept.pixel, path_id = kept.path_id, depth_and_media = kept.depth_and_media;
        cone = kept.cone;
    }
    [[nodiscard]] TL_HD PathRay get() const {
        return {origin, pixel, direction, path_id, throughput, depth_and_media, cone};
    }
};

/// A ray on the stack, and the density of its direction where it was distributed by a glossy
/// surface (GlossyPoint::for_each_ray). `kGloss`: whether the frame may have such surfaces.
template <bool kPatches, bool kGloss>
struct DrawnRay {
    WaitingRay<kPatches> ray;

    TL_HD void keep(const PathRay& kept, float) { ray.keep(kept); }
    [[nodiscard]] TL_HD float density() const { return 0; }
};
template <bool kPatches>
struct DrawnRay<kPatches, true> {
    WaitingRay<kPatches> ray;
    float pdf;

    TL_HD void keep(const PathRay& kept, float density) { ray.keep(kept), pdf = density; }
    [[nodiscard]] TL_HD float density() const { return pdf; }
};

/// A shading point whose lights are sampled, one shadow ray after the other.
template <bool kGloss>
struct LitPoint {
    ShadingContext point;
    vec3 throughput;        ///< factor of its radiance in the result
    std::uint32_t path_id;  ///< of the PathRay that hit it
};
template <>
struct LitPoint<true> : LitPoint<false> {
    bool is_glossy;
    GlossyPoint glossy;  ///< valid if is_glossy; LitPoint<false>::point otherwise
};

/// Returns `kept` itself, and on CUDA forces it into memory: otherwise data that is read once per
/// ray occupies registers throughout traversal (107 of them instead of 88, on sm_90).
template <class T>
TL_D T& in_memory(T& kept) {
    T* at = &kept;
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+l"(at)::"memory");
#endif
    return *at;
}

/// The kind of ray that a thread traces next.
enum class Following : std::uint32_t { path, shadow, nothing };

/// The rays of a pixel, traced by one thread. Without kGloss, the frame must have no glossy
/// surfaces.
template <class Tracer, bool kGloss>
class FollowedRays {
  public:
    using Stack = DrawnRay<Tracer::kPatches, kGloss>[WhittedConfig::kMaxDepth + 1];

    /// `in_pixel`: throughput of the result in the pixel. `stack` and `kept`: memory for this
    /// object.
    TL_D FollowedRays(const WhittedFrame& frame, const PathRay& first, vec3 in_pixel, Stack& stack,
                      LitPoint<kGloss>& kept)
        : frame_(frame),
          in_pixel_(in_pixel),
          pixel_(first.pixel),
          waiting_(stack),
          kept_(kept),
          next_light_{frame.scene.n_lights} {
        go_on(first);
    }

    [[nodiscard]] TL_D bool done() const { return following_ == Following::nothing; }
    [[nodiscard]] TL_D vec3 sum() const { return sum_; }

    TL_D Hit trace(const Tracer& tracer) {
        bool any = following_ == Following::shadow && any_hit_shadows(frame_.scene);
        announce(tracer, following_ == Following::shadow    ? RayPurpose::shadow
                         : depth_and_media_ >> Media::kBits ? RayPurpose::secondary
                                                            : RayPurpose::camera);
        return closest_or_any_solid(tracer, frame_.scene, ray_, any);
    }
    /// Processes the ray's hit, and selects the next ray.
    TL_D void meet(const Hit& hit) {
        bool continues = following_ == Following::shadow ? light(hit) : shade(hit);
        if (!continues && !ask_next_light()) next_path_ray();
    }

  private:
    TL_D void go_on(const PathRay& next, float density = 0) {
        density_ = density;
        ray_ = as_ray(next);
        throughput_ = next.throughput;
        path_id_ = next.path_id;
        depth_and_media_ = next.depth_and_media;
        cone_ = next.cone;
        following_ = Following::path;
    }
    /// Processes a shadow ray's hit. True where the ray continues behind glass.
    TL_D bool light(const Hit& hit) {
        const SceneView& scene = frame_.scene;
        if (!hit.found()) {
            if (scene.media_matter)
                throughput_ *= absorbed(scene, Media{depth_and_media_}, ray_.t_max);
            sum_ += throughput_;
            return false;
        }
        if (any_hit_shadows(scene) || ++path_id_ >= kMostGlassInLight) return false;
        if constexpr (kGloss)
            if (path_id_ == 1) {
                throughput_ *= past_glass_;
                if (throughput_ == vec3(0)) return false;
            }
        LightPath light{ray_, {depth_and_media_}, throughput_};
        bool continues = pass_through_glass(scene, hit, light);
        ray_ = light.ray;
        throughput_ = light.transmittance;
        depth_and_media_ = light.media.bits;
        return continues;
    }
    /// Processes a path ray's hit. True where a spawned ray is traced at once: paths that never
    /// split do not touch the stack.
    TL_D bool shade(const Hit& hit) {
        if (!hit.found()) {
            vec3 radiance = background_radiance(frame_.scene, ray_.direction);
            if constexpr (kGloss)
                if (radiance != vec3(0))
                    radiance *= weight_of_background(frame_.scene, density_, ray_.direction,
                                                     frame_.config.light_samples);
            sum_ += throughput_ * radiance;
            return false;
        }
        PathRay from{ray_.origin, pixel_,           ray_.direction, path_id_,
                     throughput_, depth_and_media_, cone_,          ray_.on_patch};
        PathHit h = path_hit(frame_.scene, from, hit);
        vec3 emitted = h.emitted(frame_.scene, hit);
        if constexpr (kGloss)
            if (emitted != vec3(0))
                emitted *= weight_of_emission(frame_.scene, density_, ray_, hit, h.surface,
                                              frame_.config.light_samples);
        sum_ += throughput_ * h.transmittance * emitted;
        if constexpr (kGloss)
            if (is_glossy(frame_.gloss, *h.surface.material)) {
                scatter(from, hit, h);
                return false;
            }
        if (!h.is_specular()) {
            light_up(from, hit, h);
            return false;
        }
        bool continues = false;
        for_each_branch(frame_.scene, frame_.config, from, h, in_pixel_,
                        [&](const BouncedRay& ray, bool another) {
                            PathRay next = bounced_ray(from, h, ray);
                            if (another) return waiting_[n_waiting_++].keep(next, 0);
                            go_on(next);
                            continues = true;
                        });
        return continues;
    }
    TL_D void light_up(const PathRay& from, const Hit& hit, const PathHit& h) {
        LitPoint<false> seen{
            shading_context(frame_.scene, from, hit, h, frame_.config.smooth_terminator),
            from.throughput * h.transmittance, from.path_id};
        sum_ += seen.throughput * (frame_.config.ambient * seen.point.albedo);
        LitPoint<kGloss>& kept = in_memory(kept_);
        static_cast<LitPoint<false>&>(kept) = seen;
        if constexpr (kGloss) kept.is_glossy = false;
        next_light_ = {};
    }
    /// Distributes rays at a glossy surface, and lights it.
    TL_D void scatter(const PathRay& from, const Hit& hit, const PathHit& h) {
        const SceneView& scene = frame_.scene;
        bool sends_rays = from.depth() < static_cast<std::uint32_t>(frame_.config.max_depth);
        LitPoint<kGloss>& seen = in_memory(kept_);
        seen.throughput = from.throughput * h.transmittance;
        seen.path_id = from.path_id;
        seen.is_glossy = true;
        seen.glossy = GlossyPoint(scene, from, hit, h, frame_.config.smooth_terminator, sends_rays);
        sum_ += seen.throughput * (frame_.config.ambient * seen.glossy.matte_albedo());
        if (sends_rays) {
            vec3 in_pixel = in_pixel_ * from.throughput;
            GlossyNumbers r(scene, sampler_of(from.path_id));
            seen.glossy.for_each_ray(
                from, r.lobe.x, r.direction,
                [&](vec3 weight) {
                    return reaches_cutoff(weight * in_pixel, frame_.config.cutoff);
                },
                [&](const PathRay& next, float density) {
                    waiting_[n_waiting_++].keep(next, density);
                });
        }
        if (seen.glossy.is_real()) next_light_ = {};
    }
    [[nodiscard]] TL_D Sampler sampler_of(std::uint32_t path_id) const {
        return {frame_.pattern, frame_.seed, pixel_, frame_.sample, path_id};
    }
    /// Makes the shading point's next shadow ray. Every ray that hits a shading point has its own
    /// random numbers, independent of the order in which rays are traced.
    TL_D bool ask_next_light() {
        while (!next_light_.done(frame_.scene)) {
            const LitPoint<kGloss>& seen = in_memory(kept_);
            if (!next_ray_to_light(seen)) continue;
            throughput_ *= seen.throughput;
            if (frame_.config.shadows) {
                depth_and_media_ = kGloss ? light_media_.bits : seen.point.media.bits;
                following_ = Following::shadow;
                path_id_ = 0;
                return true;
            }
            sum_ += throughput_;
        }
        return false;
    }
    /// Sets ray_ to the next shadow ray of the shading point and throughput_ to its radiance, with
    /// kGloss also light_media_ and past_glass_. Returns false if there is none to trace.
    TL_D bool next_ray_to_light(const LitPoint<kGloss>& seen) {
        int n = frame_.config.light_samples;
        Sampler sampler = sampler_of(seen.path_id);
        if constexpr (kGloss) {
            light_media_ = seen.point.media;
            past_glass_ = vec3(1);
            if (seen.is_glossy) {
                GlossyLight light;
                if (!seen.glossy.next_light(next_light_, frame_.scene, n, sampler, light))
                    return false;
                ray_ = light.shadow;
                throughput_ = light.radiance;
                past_glass_ = light.past_glass;
                light_media_ = light.media;
                return true;
            }
        }
        return next_shadow_ray(next_light_, frame_.scene, seen.point, n, sampler, ray_,
                               throughput_);
    }
    TL_D void next_path_ray() {
        if (n_waiting_ > 0) {
            const auto& next = waiting_[--n_waiting_];
            go_on(next.ray.get(), next.density());
        } else {
            following_ = Following::nothing;
        }
    }

    const WhittedFrame& frame_;
    vec3 in_pixel_;
    std::uint32_t pixel_;
    Stack& waiting_;
    std::uint32_t n_waiting_ = 0;
    LitPoint<kGloss>& kept_;
    LightCursor next_light_;  ///< position among the lights of the kept shading point
    vec3 sum_{0};

    Following following_;
    Ray ray_;
    vec3 throughput_;                ///< throughput; of a shadow ray: transmittance so far
    std::uint32_t path_id_;          ///< shadow ray: number of glass surfaces passed
    std::uint32_t depth_and_media_;  ///< depth above Media::kBits; of a shadow ray: only the media
    PackedCone cone_;
    float density_ = 0;   ///< of a ray from a glossy point, 1/sr; 0: of any other ray
    vec3 past_glass_{1};  ///< of a shadow ray: fraction of its radiance that may pass glass
    Media light_media_;   ///< dielectrics that contain a shadow ray's origin
};

/// Radiance of a ray and of all rays that it spawns; its throughput in the pixel is `in_pixel`.
/// Adds the number of rays to `n_rays`. `known`: the first ray's hit, if it was traced before.
/// `kGloss`: whether the frame may have glossy surfaces.
template <bool kGloss, class Tracer>
TL_D vec3 follow_depth_first(const Tracer& tracer, const WhittedFrame& frame, const PathRay& first,
                             vec3 in_pixel, std::uint32_t& n_rays, const Hit* known = nullptr) {
    typename FollowedRays<Tracer, kGloss>::Stack stack;
    LitPoint<kGloss> kept;
    FollowedRays<Tracer, kGloss> rays(frame, first, in_pixel, stack, kept);
    std::uint32_t n = 0;
    do {
        ++n;
        rays.meet(known ? *known : rays.trace(tracer));
        known = nullptr;
    } while (!rays.done());
    n_rays += n;
    return rays.sum();
}

TL_DEVICE_END
