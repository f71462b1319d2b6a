// Density estimation kernels: sum the photons' light at the gather points of the camera paths.
//
// `Near` chooses the photons that count and receives their sum. It has three functions.
// for_each(team, point, use) calls `use` as NearPhotons::for_each does. sum_at(point) returns the
// accumulator of a thread, which has add(index, light, weight, s). add(team, point, throughput,
// sum) takes the sum of the thread's photons.
#pragma once

#include "renderer/path/follow_path.h"
#include "renderer/path/path_wavefront.h"
#include "renderer/photon/gather/near_photons.h"
#include "renderer/photon/gather/pixel_figures.h"
#include "renderer/photon/trace/scattered_photon.h"

TL_DEVICE_BEGIN

/// Gather point of a camera path.
struct GatherPoint {
    std::uint32_t pixel, depth;  ///< depth: bounces before the point
    vec3 position, side;         ///< side: unit normal on the viewer's side
};

/// Sum over the photons around a gather point.
template <bool kMeasured>
struct PhotonSum {
    vec3 light{0};
    std::uint32_t n = 0;  ///< number of the thread's photons

    TL_D void add(std::uint32_t, vec3 light_of_photon, float, float) {
        light += light_of_photon;
        ++n;
    }
    TL_D void add_up(const Team& team) { light = team.sum(light); }
    /// Adds to the figures of a pixel; does nothing where these are null.
    TL_D void add_to(GatherFigures*, std::uint32_t, vec3, float) const {}
};

/// Sum over photons, with the figures of the gather point. Bias is the difference to a fourth-order
/// kernel within the same radius, 2 / pi (1 - s) (3 - 6 s). That difference is r^2 / 12 times the
/// Laplacian, estimated by that of the kernel 4 / pi (1 - s)^3.
template <>
struct PhotonSum<true> : PhotonSum<false> {
    vec3 bias{0};
    float density = 0;

    TL_D void add(std::uint32_t k, vec3 light_of_photon, float weight, float s) {
        PhotonSum<false>::add(k, light_of_photon, weight, s);
        bias += light_of_photon * (2 * (3 * s - 1));
        density += weight;
    }
    TL_D void add_up(const Team& team) {
        light = team.sum(light);
        bias = team.sum(bias);
        density = team.sum(density);
    }
    TL_D void add_to(GatherFigures* pixels, std::uint32_t pixel, vec3 weight, float radius) const {
        if (!pixels) return;
        GatherFigures& figures = pixels[pixel];
        figures.bias += weight * bias;
        figures.density += density;
        figures.radius += radius;
        figures.n_places += 1;
    }
};

template <class Near>
struct GatherAtEven {
    Near near;
    View<const DiffuseHit> places;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        DiffuseHit even = load_vectorized(places[i]);
        const GatherPoint place{even.pixel, even.depth(), even.position, even.normal()};
        auto sum = near.sum_at(place);
        near.for_each(team, place,
                      [&](std::uint32_t k, vec3 power, std::uint32_t, float weight, float s) {
                          sum.add(k, power, weight, s);
                      });
        near.add(team, place, even.weight, sum);
    }
};

template <class Near>
struct GatherAtUneven {
    Near near;
    SceneView scene;
    View<const PathRay> rays;
    View<const Hit> hits;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        PathRay ray = load_vectorized(rays[i]);
        PathHit h = path_hit(scene, ray, hits[i]);
        SurfaceInteraction at = surface_interaction(scene, ray, hits[i], h, false);
        const GatherPoint place{ray.pixel, ray.depth(), h.surface.position, h.side};
        auto sum = near.sum_at(place);
        near.for_each(
            team, place,
            [&](std::uint32_t k, vec3 power, std::uint32_t direction, float weight, float s) {
                sum.add(k, power * scattered_broadly(h, at, direction), weight, s);
            });
        near.add(team, place, ray.weight * h.passed, sum);
    }
};

/// Calls gather(team, i) for every entry of a queue, from every thread of a team.
template <class Gather>
void for_each_place(Stream& stream, const std::uint32_t* count, std::uint32_t capacity,
                    const Gather& gather) {
#if defined(__CUDACC__)
    constexpr std::uint32_t kThreads = Team::kThreads;
    std::uint32_t n_threads = std::min(capacity, kQueueThreads) * kThreads;
    parallel_for(
        stream, "gather photons", n_threads, TL_LAMBDA(std::uint32_t thread) {
            for (std::uint32_t i = thread / kThreads; i < *count; i += n_threads / kThreads)
                gather(Team(), i);
        });
#else
    // Bounds the loop on the CPU by the count, as for_each_entry does.
    Gather op = gather;
    parallel_for(
        stream, "gather photons", std::min(capacity, *count),
        TL_LAMBDA(std::uint32_t i) { op(Team(), i); }, 64);
#endif
}

/// Gathers at all points of a bounce's queue. Points on other than Lambertian surfaces may have a
/// different `Near`.
template <class Near, class NearUneven>
void gather_photons(Stream& stream, const SceneView& scene, const GatherQueue& queue,
                    const WaveCounts* counts, const Near& even, const NearUneven& uneven) {
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    for_each_place(stream, &counts->n_even, most, GatherAtEven<Near>{even, queue.even});
    for_each_place(stream, &counts->n_uneven, most,
                   GatherAtUneven<NearUneven>{uneven, scene, queue.rays, queue.hits});
}

TL_DEVICE_END
