// Means use the frame's own camera rays, so that they match the picture's edges; numbers and values
// without a meaningful mean (positions, texture coordinates at a seam) are those of the pixel's
// centre and need a ray only in the first frame.
#include "renderer/aov/aov_samples.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/cutouts.h"
#include "renderer/shading/normal_map.h"
#include "renderer/shading/path.h"
#include "renderer/shading/ray_cone.h"

TL_DEVICE_BEGIN

namespace {

/// One ray of a pixel.
struct PixelRay {
    Ray ray;
    std::uint32_t pixel;
    bool first;  ///< first of the pixel: replaces the old value
};

TL_D void add(vec4* sums, const PixelRay& at, vec3 value, bool counts = true) {
    if (!sums) return;
    vec4 before = at.first ? vec4(0) : sums[at.pixel];
    sums[at.pixel] = counts ? before + vec4(value, 1) : before;
}

/// Evaluates the channels at hits; holds the scene and the camera's axes.
struct AovSampler {
    SceneView scene;
    AovView out;
    vec3 eye, forward;  // unit
    RayCone cone;       // of the camera rays

    template <class Tracer>
    TL_D void add_means(const Tracer& tracer, PixelRay at) const {
        RayStats stats;
        Hit hit = closest_solid(tracer, scene, at.ray, stats);
        bool found = hit.found();
        Surface s{};
        if (found) s = surface_at(scene, at.ray, hit);
        float footprint = 0;
        if (found && scene.textures)
            footprint = uv_footprint(scene, hit, s, at.ray.direction, cone.after(hit.t).width);
        add(out.values_of(AovChannel::depth), at, vec3(glm::dot(s.position - eye, forward)), found);
        add(out.values_of(AovChannel::normal), at, s.geometric_normal);
        add(out.values_of(AovChannel::shading_normal), at,
            found ? mapped_normal(scene, hit, s, footprint) : vec3(0));
        add(out.values_of(AovChannel::albedo), at,
            found ? albedo_of(scene, s, footprint) : vec3(0));
        add(out.values_of(AovChannel::node_visits), at, vec3(static_cast<float>(stats.n_nodes)));
        add(out.values_of(AovChannel::primitive_tests), at,
            vec3(static_cast<float>(stats.n_primitives)));
        if (out.values_of(AovChannel::bounces))
            add(out.values_of(AovChannel::bounces), at, vec3(count_bounces(tracer, at.ray, hit)));
    }

    /// The number of bounces at mirrors and glass on a ray's path of greatest weight.
    template <class Tracer>
    TL_D float count_bounces(const Tracer& tracer, const Ray& first, Hit hit) const {
        constexpr std::uint32_t kMost = 32;
        PathRay ray{first.origin, 0, first.direction, 1, vec3(1), 0, PackedCone::of(cone)};
        while (hit.found() && ray.depth() < kMost) {
            PathHit h = path_hit(scene, ray, hit);
            if (!strongest_bounce(scene, ray, h, ray)) break;
            Ray next = as_ray(ray);
            RayStats uncounted;  // so that the same instance of the tracer is used as before
            hit = closest_solid(tracer, scene, next, uncounted);
        }
        return static_cast<float>(ray.depth());
    }

    TL_D static void put(std::uint32_t* ids, std::uint32_t pixel, std::uint32_t id) {
        if (ids) ids[pixel] = id;
    }

    template <class Tracer>
    TL_D void put_centre(const Tracer& tracer, PixelRay at) const {
        RayStats uncounted;
        Hit hit = closest_solid(tracer, scene, at.ray, uncounted);
        bool found = hit.found();
        Surface s{};
        if (found) s = surface_at(scene, at.ray, hit);
        add(out.values_of(AovChannel::position), at, s.position);
        add(out.values_of(AovChannel::uv), at, vec3(s.uv, 0));
        auto material = found ? static_cast<std::uint32_t>(s.material - scene.materials) + 1 : 0;
        put(out.ids_of(AovChannel::material), at.pixel, material);
        put(out.ids_of(AovChannel::primitive), at.pixel, found ? hit.primitive + 1 : 0);
        bool instanced = found && hit.instance != Hit::kNone;
        put(out.ids_of(AovChannel::instance), at.pixel, instanced ? hit.instance + 1 : 0);
    }
};

/// A launch over the pixels of an image.
struct AovPass {
    Stream& stream;
    AovSampler sampler;
    CameraRays camera;
    PixelOrder order;
    std::uint32_t sample;
    std::uint64_t seed;

    /// Items of a task on the CPU: a tile.
    static constexpr std::uint32_t kGrain = PixelOrder::kTile * PixelOrder::kTile;
    /// The sampler for trees of a tracer.
    template <class Tracer>
    TL_D static AovSampler seen(AovSampler sampler) {
        sampler.scene = seen_by<Tracer>(sampler.scene);
        return sampler;
    }
};

struct MeansPass : AovPass {
    template <class Tracer>
    void operator()(Tracer tracer) const {
        // A copy, since a lambda for the device captures no members.
        AovPass pass = *this;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "auxiliary means", order.n_items,
            TL_LAMBDA(std::uint32_t item) {
                std::uint32_t x, y;
                if (!pass.order.pixel(item, x, y)) return;
                auto width = static_cast<std::uint32_t>(pass.order.extent.width);
                std::uint32_t pixel = y * width + x;
                Sampler numbers(pass.camera.pattern, pass.seed, pixel, pass.sample);
                Ray ray = pass.camera.sample(x, y, numbers);
                seen<Tracer>(pass.sampler).add_means(tracer, {ray, pixel, pass.sample == 0});
            },
            kGrain);
    }
};

struct CentresPass : AovPass {
    template <class Tracer>
    void operator()(Tracer tracer) const {
        AovPass pass = *this;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "auxiliary centres", order.n_items,
            TL_LAMBDA(std::uint32_t item) {
                std::uint32_t x, y;
                if (!pass.order.pixel(item, x, y)) return;
                auto width = static_cast<std::uint32_t>(pass.order.extent.width);
                Ray ray =
                    pass.camera.through(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
                seen<Tracer>(pass.sampler).put_centre(tracer, {ray, y * width + x, true});
            },
            kGrain);
    }
};

}  // namespace

void add_aov_sample(Stream& stream, const Frame& frame, const SceneView& scene,
                    const AovView& out) {
    bool means = false, centre = false;
    for (std::size_t c = 0; c < kAovCount; ++c) {
        if (!out.values[c] && !out.ids[c]) continue;
        auto kind = aov_rows()[c].kind;
        bool is_mean = kind == AovKind::mean || kind == AovKind::mean_of_hits;
        (is_mean ? means : centre) = true;
    }
    vec3 forward = glm::normalize(frame.camera.target - frame.camera.eye);
    CameraRays camera(frame.camera, out.extent, frame.sampling);
    AovSampler sampler{scene, out, frame.camera.eye, forward,
                       pixel_cone(glm::length(camera.step_y), frame.sample)};
    AovPass pass{stream, sampler, camera, PixelOrder(out.extent), frame.sample, frame.seed};
    if (means) visit_any_tracer(scene.tree, MeansPass{pass});
    if (centre && frame.sample == 0) visit_any_tracer(scene.tree, CentresPass{pass});
}

TL_DEVICE_END
