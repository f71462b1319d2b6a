// What a gather's disc covers where a surface ends: near an edge photons lie on a part of the disc
// alone, and near a thin wall some of them lie beyond it.
//
// Both are found by rays, so that the mean stays what it is where neither is near, without a ray
// that depends on how many photons there are: of the photons that count one is drawn by its weight,
// and all are given up if it is hidden; what is left is multiplied by the number of places that are
// drawn by the kernel until one is an open place of the surface, whose mean is one over the
// kernel's part there (as Booth 2007, "Unbiased Monte Carlo estimation of the reciprocal of an
// integral").
#pragma once

#include "renderer/paths/path_queues.h"

TL_DEVICE_BEGIN

/// Where a path gathers.
struct alignas(16) OpenPlace {
    vec3 above;             ///< the place, a part of the radius above its surface
    std::uint32_t surface;  ///< its normal, pack_direction<12>
    float radius;           ///< of the drawn photon's kernel, m
    std::uint32_t random;   ///< another one for each place and pass
    std::uint32_t padding[2];

    /// How far above the surface rays start, and how far above and below it there is no other, as
    /// a part of the radius.
    static constexpr float kLift = 0.25f;
};
static_assert(sizeof(OpenPlace) == 32);

/// A ray to a place of a surface, which it does not meet.
TL_D inline Ray sight_from(vec3 eye, vec3 place) {
    vec3 way = place - eye;
    float length = glm::length(way);
    Ray ray;
    ray.origin = eye;
    ray.direction = way / length;
    ray.t_max = 0.999f * length;
    return ray;
}

/// The places of one queue, with the light that each gathers.
struct EdgeQueue {
    View<OpenPlace> places;
    View<ArrivingLight> light;
    View<Ray> to_photon;
    std::uint32_t* count = nullptr;

    EdgeQueue() = default;
    EdgeQueue(Scratch& scratch, std::uint32_t n)
        : places(scratch.take<OpenPlace>(n)),
          light(scratch.take<ArrivingLight>(n)),
          to_photon(scratch.take<Ray>(n)),
          count(scratch.take<std::uint32_t>(1).data) {}

    /// Appends a place at `p` with the light that it gathers, of which the photon at `photon` was
    /// drawn.
    TL_D void add(vec3 p, vec3 side, vec3 photon, float radius, std::uint32_t random,
                  const ArrivingLight& found) const {
        std::uint32_t i = atomic_append(count);
        vec3 lift = OpenPlace::kLift * radius * side;
        store_whole(places[i],
                    OpenPlace{p + lift, pack_direction<12>(side), radius, random, {0, 0}});
        store_whole(light[i], found);
        store_whole(to_photon[i], sight_from(p + lift, photon));
    }
};

/// Adds to sums[pixel] the light of the queue's places as it is where the whole kernel is open.
/// Never waits.
void add_open_light(Scratch& scratch, const SceneView& scene, const EdgeQueue& queue,
                    View<vec4> sums);

TL_DEVICE_END
