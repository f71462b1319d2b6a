// The kernel of the denoiser's guides.
#pragma once

#include "renderer/aov/aov_pass.h"
#include "renderer/denoise/guides.h"
#include "renderer/shading/environment.h"
#include "renderer/shading/reflectance.h"

TL_DEVICE_BEGIN

/// Output, the scene, and the camera's axis.
struct GuideSampler {
    SceneView scene;
    GuideView out;
    vec3 forward;  // unit
    PackedCone cone;
};

/// A surface that a ray shows.
struct GuideHit {
    Hit hit;
    PathHit seen;
    vec3 throughput;  ///< from the camera to the surface
    float length;     ///< of the path to the surface
};

struct GuideRays {
    using Sampler = GuideSampler;
    static constexpr const char* kName = "denoiser: guide rays";
    static constexpr bool kCentre = false;

    template <class Tracer>
    TL_D static void at(const GuideSampler& sampler, const Tracer& tracer, const PixelRay& at) {
        const SceneView& scene = sampler.scene;
        const GuideView& out = sampler.out;
        GuideHit found{};
        bool hits = find(sampler, tracer, at.ray, found);
        const PathHit& seen = found.seen;
        vec4 reflected(0);
        if (hits && emission_at(scene, seen.surface, found.hit, seen.footprint) == vec3(0))
            reflected = vec4(found.throughput * reflectance_of_lobes(scene, seen.surface, found.hit,
                                                                     seen.footprint),
                             1);
        float depth = found.length * glm::dot(at.ray.direction, sampler.forward);
        at.add(out.normal, seen.normal);
        at.add(out.depth, vec3(depth), hits);
        at.add(out.reflected, reflected);
        at.add(out.background,
               hits ? vec4(0) : vec4(background_radiance(scene, at.ray.direction), 1));
    }

  private:
    /// Finds the seen surface. Returns false if the camera ray leaves the scene.
    template <class Tracer>
    TL_D static bool find(const GuideSampler& sampler, const Tracer& tracer, const Ray& camera_ray,
                          GuideHit& found) {
        constexpr std::uint32_t kMostBounces = 8;
        const SceneView& scene = sampler.scene;
        PathRay path{camera_ray.origin,           0,           camera_ray.direction, 1, vec3(1),
                     media_of_camera(scene).bits, sampler.cone};
        float length = 0;
        for (std::uint32_t n = 0; n <= kMostBounces; ++n) {
            Ray ray = as_ray(path);
            Hit hit = closest_solid(tracer, scene, ray);
            if (!hit.found()) return n > 0;
            PathHit h = path_hit(scene, path, hit);
            length += hit.t;
            if (n > 0 && emission_at(scene, h.surface, hit, h.footprint) != vec3(0)) return true;
            vec3 throughput = path.throughput;
            bool goes_on = follows(scene, h) && strongest_bounce(scene, path, h, path);
            if (n == 0 || !goes_on) found = {hit, h, throughput, length};
            if (!goes_on) return true;
        }
        return true;
    }
    /// Whether the surface is a smooth mirror whose path is followed.
    TL_D static bool follows(const SceneView& scene, const PathHit& h) {
        const MaterialData& m = *h.surface.material;
        return m.kind == MaterialKind::mirror && m.alpha == 0 && !scene.gaussians;
    }
};

/// Runs the pass and returns true where the tree has a layout that is chosen automatically.
[[nodiscard]] bool add_guides_by_default_tracer(const AovPass<GuideRays>& pass);

TL_DEVICE_END
