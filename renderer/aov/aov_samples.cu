#include "renderer/aov/aov_samples.h"

#include "renderer/aov/aov_pass.h"

TL_DEVICE_BEGIN

namespace {

/// Number of bounces at mirrors and glass on a ray's path of greatest throughput. It has a launch
/// of its own, which traces the camera ray again, so that the launch of the means needs fewer
/// registers.
struct AovBounces {
    using Sampler = AovSampler;
    static constexpr const char* kName = "auxiliary bounces";
    static constexpr bool kCentre = false;

    template <class Tracer>
    TL_D static void at(const AovSampler& sampler, const Tracer& tracer, const PixelRay& at) {
        const SceneView& scene = sampler.scene;
        constexpr std::uint32_t kMost = 32;
        PathRay ray{
            at.ray.origin, 0, at.ray.direction, 1, vec3(1), 0, PackedCone::of(sampler.cone)};
        while (ray.depth() < kMost) {
            Ray next = as_ray(ray);
            Hit hit = closest_solid(tracer, scene, next);
            if (!hit.found()) break;
            PathHit h = path_hit(scene, ray, hit);
            if (!strongest_bounce(scene, ray, h, ray)) break;
        }
        at.add(sampler.out.values_of(AovChannel::bounces), vec3(static_cast<float>(ray.depth())));
    }
};

/// Channels of the pixel's centre. They need a ray only in the first frame.
struct AovCentre {
    using Sampler = AovSampler;
    static constexpr const char* kName = "auxiliary centres";
    static constexpr bool kCentre = true;

    template <class Tracer>
    TL_D static void at(const AovSampler& sampler, const Tracer& tracer, const PixelRay& at) {
        const SceneView& scene = sampler.scene;
        const AovView& out = sampler.out;
        Ray ray = at.ray;
        Hit hit = closest_solid(tracer, scene, ray);
        bool found = hit.found();
        Surface s{};
        if (found) s = surface_at(scene, ray, hit);
        at.add(out.values_of(AovChannel::position), s.position);
        at.add(out.values_of(AovChannel::uv), vec3(s.uv, 0));
        auto put = [&](AovChannel channel, std::uint32_t id) {
            if (auto* ids = out.ids_of(channel)) ids[at.pixel] = found ? id : 0;
        };
        put(AovChannel::material,
            found ? static_cast<std::uint32_t>(s.material - scene.materials) + 1 : 0);
        put(AovChannel::primitive, hit.primitive + 1);
        put(AovChannel::instance, hit.instance != Hit::kNone ? hit.instance + 1 : 0);
    }
};

}  // namespace

void add_aov_sample(Stream& stream, const Frame& frame, const SceneView& scene, const AovView& out,
                    const FilmRegion& region) {
    bool means = false, centre = false;
    for (std::size_t c = 0; c < kAovCount; ++c) {
        if (!out.values[c] && !out.ids[c]) continue;
        auto kind = aov_rows()[c].kind;
        bool is_mean = kind == AovKind::mean || kind == AovKind::mean_of_hits;
        if (!is_mean)
            centre = true;
        else if (static_cast<AovChannel>(c) != AovChannel::bounces)
            means = true;
    }
    vec3 forward = glm::normalize(frame.camera.target - frame.camera.eye);
    CameraRays camera(frame.camera, out.extent, frame.sampling);
    AovSampler sampler{scene, out, frame.camera.eye, forward,
                       pixel_cone(glm::length(camera.step_y), frame.sample)};
    PixelOrder order(out.extent);
    auto run = [&]<class Evaluate>(Evaluate) {
        return AovPass<Evaluate>{stream, sampler, camera, order, region, frame.sample, frame.seed};
    };
    if (means) {
        auto pass = run(AovMeans{});
        if (!add_means_by_default_tracer(pass)) visit_any_tracer(scene.tree, pass);
    }
    if (out.values_of(AovChannel::bounces)) visit_any_tracer(scene.tree, run(AovBounces{}));
    if (centre && frame.sample == 0) visit_any_tracer(scene.tree, run(AovCentre{}));
}

TL_DEVICE_END
