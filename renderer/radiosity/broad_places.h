// Places of surfaces that scatter light broadly: where they lie, and how much they scatter.
#pragma once

#include "accel/octree/octree.h"
#include "renderer/paths/path_rays.h"

TL_DEVICE_BEGIN

/// Both sides of samples of surfaces: entries 2 i and 2 i + 1 are those of sample i.
struct SampleSides {
    View<Surfel> points;
    View<vec3> starts;            ///< of rays, off the surface
    View<vec3> albedo;            ///< of light that is scattered broadly
    View<std::uint32_t> is_kept;  ///< 1: the side scatters light broadly
};

/// Looks at the surface where each sample is, from `lift` metres off on both sides. `frame` is that
/// of the scene's paths. Never waits.
void look_at_sides(Scratch& scratch, const PathTracerFrame& frame, View<const Surfel> samples,
                   float lift, const SampleSides& sides);

/// Writes those places of a queue that do not scatter light evenly over the ones that do, as if
/// they did: what light that is even all around would make of them. Never waits.
void make_even(Stream& stream, const PathTracerFrame& frame, const GatherQueue& queue,
               const WaveCounts* counts);

TL_DEVICE_END
