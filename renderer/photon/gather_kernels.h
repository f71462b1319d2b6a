// Kernels that add the light of photons up at the places where paths from the camera gather.
//
// `Near` tells which photons count and takes what they bring: it has functions
// for_each(team, pixel, place, normal, depth, use), as NearPhotons has, and
// add(pixel, radiance in the pixel, number of photons), called by one thread of the team.
#pragma once

#include "renderer/paths/follow_path.h"
#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/scattered_photon.h"

TL_DEVICE_BEGIN

template <class Near>
struct GatherAtEven {
    Near near;
    View<const EvenPlace> places;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        EvenPlace place = load_whole(places[i]);
        vec3 sum(0);
        std::uint32_t n = 0;
        near.for_each(team, place.pixel, place.position, place.normal(), place.depth(),
                      [&](std::uint32_t, vec3 power, std::uint32_t) {
                          sum += power;
                          ++n;
                      });
        near.add(team, place.pixel, place.weight, sum, n);
    }
};

template <class Near>
struct GatherAtUneven {
    Near near;
    SceneView scene;
    View<const PathRay> rays;
    View<const Hit> hits;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        PathRay ray = load_whole(rays[i]);
        PathHit h = path_hit(scene, ray, hits[i]);
        PathPlace at = path_place(scene, ray, hits[i], h, false);
        vec3 sum(0);
        std::uint32_t n = 0;
        near.for_each(team, ray.pixel, h.surface.position, h.side, ray.depth(),
                      [&](std::uint32_t, vec3 power, std::uint32_t direction) {
                          sum += power * scattered_broadly(h, at, direction);
                          ++n;
                      });
        near.add(team, ray.pixel, ray.weight * h.passed, sum, n);
    }
};

/// Calls gather(team, i) for every entry of a queue, from every thread of a team.
template <class Gather>
void for_each_place(Stream& stream, const std::uint32_t* count, std::uint32_t capacity,
                    const Gather& gather) {
    constexpr std::uint32_t kThreads = Team::kThreads;
    std::uint32_t n_threads = std::min(capacity, kQueueThreads) * kThreads;
    parallel_for(
        stream, "gather photons", n_threads,
        TL_LAMBDA(std::uint32_t thread) {
            for (std::uint32_t i = thread / kThreads; i < *count; i += n_threads / kThreads)
                gather(Team(), i);
        },
        1024);
}

/// At all places of a bounce's queue.
template <class Near>
void gather_photons(Stream& stream, const SceneView& scene, const GatherQueue& queue,
                    const WaveCounts* counts, const Near& near) {
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    for_each_place(stream, &counts->n_even, most, GatherAtEven<Near>{near, queue.even});
    for_each_place(stream, &counts->n_uneven, most,
                   GatherAtUneven<Near>{near, scene, queue.rays, queue.hits});
}

TL_DEVICE_END
