#include "renderer/photon/gather_photons.h"

#include "renderer/paths/follow_path.h"
#include "renderer/photon/near_photons.h"

TL_DEVICE_BEGIN

namespace {

/// What the photons around a place add up to.
template <bool kMeasured>
struct PhotonSum {
    vec3 light{0};

    TL_D void add(vec3 light_of_photon, float, float) { light += light_of_photon; }
    TL_D void add_up(const Team& team) { light = team.sum(light); }
    TL_D void add_to(PlaceFigures*, vec3, float) const {}
};

/// The same with the figures of the place. The light's bias is the difference to a kernel of fourth
/// order within the same radius, 2 / pi (1 - s) (3 - 6 s): it is r^2 / 12 times the Laplacian,
/// estimated by that of the kernel 4 / pi (1 - s)^3.
template <>
struct PhotonSum<true> : PhotonSum<false> {
    vec3 bias{0};
    float density = 0;

    TL_D void add(vec3 light_of_photon, float weight, float s) {
        light += light_of_photon;
        bias += light_of_photon * (2 * (3 * s - 1));
        density += weight;
    }
    TL_D void add_up(const Team& team) {
        light = team.sum(light);
        bias = team.sum(bias);
        density = team.sum(density);
    }
    TL_D void add_to(PlaceFigures* figures, vec3 weight, float radius) const {
        figures->bias += weight * bias;
        figures->density += density;
        figures->radius += radius;
        figures->n_places += 1;
    }
};

template <bool kMeasured>
struct GatherAtEven {
    NearPhotons near;
    View<const EvenPlace> places;
    View<vec4> sums;
    PlaceFigures* figures;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        EvenPlace place = load_whole(places[i]);
        PhotonSum<kMeasured> sum;
        near.for_each_weighed(team, place.position, place.normal(), place.depth(),
                              [&](std::uint32_t, vec3 power, std::uint32_t, float weight, float s) {
                                  sum.add(power, weight, s);
                              });
        sum.add_up(team);
        if (team.rank() != 0) return;
        sums[place.pixel] += vec4(place.weight * sum.light, 0);
        sum.add_to(figures + place.pixel, place.weight, near.grid.radius);
    }
};

template <bool kMeasured>
struct GatherAtUneven {
    NearPhotons near;
    SceneView scene;
    View<const PathRay> rays;
    View<const Hit> hits;
    View<vec4> sums;
    PlaceFigures* figures;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        PathRay ray = load_whole(rays[i]);
        PathHit h = path_hit(scene, ray, hits[i]);
        PathPlace at = path_place(scene, ray, hits[i], h, false);
        PhotonSum<kMeasured> sum;
        near.for_each_weighed(
            team, h.surface.position, h.side, ray.depth(),
            [&](std::uint32_t, vec3 power, std::uint32_t direction, float weight, float s) {
                sum.add(power * scattered(h, at, unpack_direction<16>(direction)), weight, s);
            });
        sum.add_up(team);
        if (team.rank() != 0) return;
        vec3 weight = ray.weight * h.passed;
        sums[ray.pixel] += vec4(weight * sum.light, 0);
        sum.add_to(figures + ray.pixel, weight, near.grid.radius);
    }
    /// The part of a photon's power that a surface scatters broadly to the viewer, 1/sr.
    [[nodiscard]] TL_D static vec3 scattered(const PathHit& h, const PathPlace& at,
                                             vec3 direction) {
        constexpr float kLeastCosine = 0.05f;
        float cosine = maximum(fabsf(fused_dot(h.side, direction)), kLeastCosine);
        return at.bsdf.eval_broad(at.lit.to_viewer, -direction) / cosine;
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

template <bool kMeasured>
void gather_at_all(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                   const NearPhotons& near, const SceneView& scene, View<vec4> sums,
                   PlaceFigures* figures) {
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    const GatherAtEven<kMeasured> even{near, queue.even, sums, figures};
    for_each_place(stream, &counts->n_even, most, even);
    const GatherAtUneven<kMeasured> uneven{near, scene, queue.rays, queue.hits, sums, figures};
    for_each_place(stream, &counts->n_uneven, most, uneven);
}

}  // namespace

void PhotonGather::add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                       View<vec4> sums) const {
    if (figures_.empty())
        gather_at_all<false>(stream, queue, counts, near_, scene_, sums, nullptr);
    else
        gather_at_all<true>(stream, queue, counts, near_, scene_, sums, figures_.data);
}

TL_DEVICE_END
