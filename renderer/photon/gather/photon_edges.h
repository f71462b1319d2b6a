// Edge correction of density estimates: near the edge of a surface, photons cover only a part of
// the kernel's disc. Near a thin wall, some photons lie on the wall's other side.
//
// Rays detect both, at a number of rays that does not depend on the photon count. One of the
// gathered photons is drawn by its weight; if it is occluded, the whole gather is discarded.
// Otherwise the gather is multiplied by the number of kernel samples up to the first one that lies
// on the surface and is unoccluded. The mean of that number is one over the open fraction of the
// kernel (as in Booth 2007, "Unbiased Monte Carlo estimation of the reciprocal of an integral").
// Where neither an edge nor a wall is near, the mean is unchanged.
#pragma once

#include "renderer/path/path_queues.h"

TL_DEVICE_BEGIN

/// Gather point whose kernel is tested for openness.
struct alignas(16) BoundaryPoint {
    vec3 above;             ///< the gather point, lifted by kLift radii above its surface
    std::uint32_t surface;  ///< the surface's normal, pack_direction<12>
    float radius;           ///< kernel radius of the drawn photon, m
    std::uint32_t random;   ///< differs for each gather point and pass
    std::uint32_t padding[2];

    /// Height at which rays start above the surface, divided by the radius. No other surface is
    /// assumed within that height on both sides.
    static constexpr float kLift = 0.25f;
};
static_assert(sizeof(BoundaryPoint) == 32);

/// Visibility ray from `eye` to a surface point; ends just before it.
TL_D inline Ray visibility_ray(vec3 eye, vec3 place) {
    vec3 way = place - eye;
    float length = glm::length(way);
    Ray ray;
    ray.origin = eye;
    ray.direction = way / length;
    ray.t_max = 0.999f * length;
    return ray;
}

/// Gather points of one queue, with the light gathered at each.
struct EdgeQueue {
    View<BoundaryPoint> places;
    View<ArrivingLight> light;
    View<Ray> to_photon;
    std::uint32_t* count = nullptr;

    EdgeQueue() = default;
    EdgeQueue(Scratch& scratch, std::uint32_t n)
        : places(scratch.take<BoundaryPoint>(n)),
          light(scratch.take<ArrivingLight>(n)),
          to_photon(scratch.take<Ray>(n)),
          count(scratch.take<std::uint32_t>(1).data) {}

    /// Appends a gather at `p` with its light; `photon` is the position of the drawn photon.
    TL_D void add(vec3 p, vec3 side, vec3 photon, float radius, std::uint32_t random,
                  const ArrivingLight& found) const {
        std::uint32_t i = atomic_append(count);
        vec3 lift = BoundaryPoint::kLift * radius * side;
        store_vectorized(places[i],
                         BoundaryPoint{p + lift, pack_direction<12>(side), radius, random, {0, 0}});
        store_vectorized(light[i], found);
        store_vectorized(to_photon[i], visibility_ray(p + lift, photon));
    }
};

/// Adds to sums[pixel] the light of the queue's gather points, as if the whole kernel were open.
/// Never waits.
void add_open_light(Scratch& scratch, const SceneView& scene, const EdgeQueue& queue,
                    View<vec4> sums);

TL_DEVICE_END
