// The kernel of the heat map, which traces and counts.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "renderer/film/film.h"
#include "renderer/heat_map/heat_map_config.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/direct_light.h"

TL_DEVICE_BEGIN

/// Sums the traversal counts of a tracer's rays.
template <class Tracer>
struct CountingTracer {
    const Tracer& tracer;
    RayStats& stats;
    TL_D Hit closest(const Ray& ray, NoStats = {}) const { return tracer.closest(ray, stats); }
    TL_D bool occluded(const Ray& ray) const { return tracer.occluded(ray, stats); }
};

/// Traces a pixel's primary ray and, with `shadows`, a shadow ray per light; returns their number.
template <class Tracer>
TL_D std::uint32_t trace_pixel(const CountingTracer<Tracer>& tracer, const SceneView& scene,
                               Ray ray, bool shadows, Sampler& sampler) {
    Hit hit = closest_solid(tracer, scene, ray);
    std::uint32_t n_rays = 1;
    if (!shadows || !hit.found()) return n_rays;
    Surface s = surface_at(scene, ray, hit);
    if (sends_rays_on(*s.material)) return n_rays;
    bool from_inside = glm::dot(s.geometric_normal, ray.direction) > 0;
    vec3 side = from_inside ? -s.geometric_normal : s.geometric_normal;
    // White and facing the viewer, so that no light is skipped because of the material.
    ShadingContext point{s.material, vec3(1), s.position,     start_of_rays(s, s.position, side),
                         side,       side,    -ray.direction, s.on_patch};
    direct_light(tracer, scene, point, 1, sampler, n_rays);
    return n_rays;
}

struct HeatMapPass {
    Stream& stream;
    FilmView film;
    SceneView scene;
    CameraRays camera;
    PixelOrder order;
    View<std::uint32_t> sums;
    Counted counted;
    bool shadows;
    std::uint32_t sample;
    std::uint64_t seed;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        FilmView out = this->film;
        SceneView scene = this->scene;
        CameraRays camera = this->camera;
        PixelOrder order = this->order;
        auto sums = this->sums;
        Counted counted = this->counted;
        bool shadows = this->shadows;
        std::uint32_t sample = this->sample;
        std::uint64_t seed = this->seed;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "heat map", order.n_items,
            TL_LAMBDA(std::uint32_t item) {
                std::uint32_t x, y;
                if (!order.pixel(item, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(out.extent.width) + x;
                Sampler sampler(camera.pattern, seed, pixel, sample);
                Ray ray = camera.sample(x, y, sampler);
                RayStats stats;
                CountingTracer<Tracer> counting{tracer, stats};
                out.ray_count[pixel] =
                    trace_pixel(counting, seen_by<Tracer>(scene), ray, shadows, sampler);
                std::uint32_t count = counted == Counted::visits ? stats.n_nodes
                                      : counted == Counted::tests
                                          ? stats.n_primitives
                                          : stats.n_nodes + stats.n_primitives;
                sums[pixel] = (sample == 0 ? 0 : sums[pixel]) + count;
            },
            PixelOrder::kTileItems);
    }
};

/// Runs the pass and returns true where the tree has a layout that is chosen automatically.
[[nodiscard]] bool count_by_default_tracer(const HeatMapPass& pass);

TL_DEVICE_END
