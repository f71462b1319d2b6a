// Evaluates channels of auxiliary pictures at the hits of a pixel's rays. Means use the frame's own
// camera rays, so that they match the picture's edges. Numbers, and values without a meaningful
// mean (positions, texture coordinates at a seam), are those of the pixel's centre.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "renderer/aov/aov_samples.h"
#include "renderer/path/path_ray.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/cutouts.h"
#include "renderer/shading/normal_map.h"
#include "renderer/shading/ray_cone.h"

TL_DEVICE_BEGIN

/// Output channels, the scene, and the camera's axes.
struct AovSampler {
    SceneView scene;
    AovView out;
    vec3 eye, forward;  // unit
    RayCone cone;       // cone of the camera rays
};

/// One ray of a pixel.
struct PixelRay {
    Ray ray;
    std::uint32_t pixel;
    bool first;  ///< first ray of the pixel: replaces the old value

    TL_D void add(vec4* sums, vec3 value, bool counts = true) const {
        if (sums) add(sums, counts ? vec4(value, 1) : vec4(0));
    }
    TL_D void add(vec4* sums, vec4 value) const {
        sums[pixel] = (first ? vec4(0) : sums[pixel]) + value;
    }
};

/// A launch over the pixels of a region of an image: calls Evaluate::at(sampler, tracer, PixelRay),
/// with the ray through the pixel's centre if Evaluate::kCentre. Evaluate::Sampler holds the scene
/// and the output.
template <class Evaluate>
struct AovPass {
    Stream& stream;
    typename Evaluate::Sampler sampler;
    CameraRays camera;
    PixelOrder order;
    FilmRegion region;
    std::uint32_t sample;
    std::uint64_t seed;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // A copy, since a lambda for the device captures no members.
        AovPass pass = *this;
        parallel_for<kBlocksFor<Tracer>>(
            stream, Evaluate::kName, order.n_items,
            TL_LAMBDA(std::uint32_t item) {
                std::uint32_t x, y;
                if (!pass.order.pixel(item, x, y) || !pass.region.holds(x, y)) return;
                auto width = static_cast<std::uint32_t>(pass.order.extent.width);
                PixelRay at{pass.ray(x, y, y * width + x), y * width + x, pass.sample == 0};
                auto seen = pass.sampler;
                seen.scene = seen_by<Tracer>(seen.scene);
                Evaluate::at(seen, tracer, at);
            },
            PixelOrder::kTileItems);
    }

    TL_D Ray ray(std::uint32_t x, std::uint32_t y, std::uint32_t pixel) const {
        if constexpr (Evaluate::kCentre)
            return camera.through(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
        Sampler numbers(camera.pattern, seed, pixel, sample);
        return camera.sample(x, y, numbers);
    }
};

/// Channels that are means of the hits' properties, or of the cost of finding them.
struct AovMeans {
    using Sampler = AovSampler;
    static constexpr const char* kName = "auxiliary means";
    static constexpr bool kCentre = false;

    template <class Tracer>
    TL_D static void at(const AovSampler& sampler, const Tracer& tracer, const PixelRay& at) {
        const SceneView& scene = sampler.scene;
        const AovView& out = sampler.out;
        RayStats stats;
        Ray ray = at.ray;
        Hit hit = closest_solid(tracer, scene, ray, stats);
        bool found = hit.found();
        Surface s{};
        if (found) s = surface_at(scene, ray, hit);
        float footprint = 0;
        if (found && scene.textures)
            footprint = uv_footprint(scene, hit, s, ray.direction, sampler.cone.after(hit.t).width);
        at.add(out.values_of(AovChannel::depth),
               vec3(glm::dot(s.position - sampler.eye, sampler.forward)), found);
        at.add(out.values_of(AovChannel::normal), s.geometric_normal);
        at.add(out.values_of(AovChannel::shading_normal),
               found ? mapped_normal(scene, hit, s, footprint) : vec3(0));
        at.add(out.values_of(AovChannel::albedo),
               found ? albedo_of(scene, s, hit, footprint) : vec3(0));
        at.add(out.values_of(AovChannel::node_visits), vec3(static_cast<float>(stats.n_nodes)));
        at.add(out.values_of(AovChannel::primitive_tests),
               vec3(static_cast<float>(stats.n_primitives)));
    }
};

/// Runs the pass and returns true where the tree has a layout that is chosen automatically.
[[nodiscard]] bool add_means_by_default_tracer(const AovPass<AovMeans>& pass);

TL_DEVICE_END
