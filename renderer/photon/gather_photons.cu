#include "renderer/photon/gather_photons.h"

#include "renderer/paths/follow_path.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/scattered_photon.h"

TL_DEVICE_BEGIN

namespace {

struct GatherAtEven {
    NearPhotons near;
    View<const EvenPlace> places;
    View<vec4> sums;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        EvenPlace place = load_whole(places[i]);
        vec3 sum(0);
        near.for_each(team, place.position, place.normal(), place.depth(),
                      [&](std::uint32_t, vec3 power, std::uint32_t) { sum += power; });
        sum = team.sum(sum);
        if (team.rank() == 0) sums[place.pixel] += vec4(place.weight * sum, 0);
    }
};

struct GatherAtUneven {
    NearPhotons near;
    SceneView scene;
    View<const PathRay> rays;
    View<const Hit> hits;
    View<vec4> sums;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        PathRay ray = load_whole(rays[i]);
        PathHit h = path_hit(scene, ray, hits[i]);
        PathPlace at = path_place(scene, ray, hits[i], h, false);
        vec3 sum(0);
        near.for_each(team, h.surface.position, h.side, ray.depth(),
                      [&](std::uint32_t, vec3 power, std::uint32_t direction) {
                          sum += power * scattered_broadly(h, at, direction);
                      });
        sum = team.sum(sum);
        if (team.rank() == 0) sums[ray.pixel] += vec4(ray.weight * h.passed * sum, 0);
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

}  // namespace

void PhotonGather::add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                       View<vec4> sums) const {
    if (!near_.with_caustics && !near_.with_indirect) return;
    sums = part_.looked_up(sums);
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    const GatherAtEven even{near_, queue.even, sums};
    for_each_place(stream, &counts->n_even, most, even);
    const GatherAtUneven uneven{near_, scene_, queue.rays, queue.hits, sums};
    for_each_place(stream, &counts->n_uneven, most, uneven);
}

TL_DEVICE_END
