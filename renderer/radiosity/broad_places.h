// Places of surfaces that scatter light broadly: where they lie, and how much they scatter.
#pragma once

#include "accel/octree/octree.h"
#include "renderer/paths/path_rays.h"

TL_DEVICE_BEGIN

/// Both sides of samples of surfaces: entries 2 i and 2 i + 1 are those of sample i.
struct SampleSides {
    /// What a side is that scatters light broadly.
    enum Mark : std::uint32_t { kDark = 1, kPoint = 2 };

    View<Surfel> points;
    View<vec3> starts;          ///< of rays, off the surface
    View<vec3> albedo;          ///< of light that is scattered broadly
    View<std::uint32_t> marks;  ///< a Mark each, 0 for other sides
};

/// Looks at the surface where each sample is, from `lift` metres off on both sides. Sides that are
/// points already stay where they are and are marked kPoint, others that scatter light broadly
/// are marked kDark, and the rest 0. `frame` is that of the scene's paths. Never waits.
void look_at_sides(Scratch& scratch, const PathTracerFrame& frame, View<const Surfel> samples,
                   float lift, const SampleSides& sides);

/// Writes those places of a queue that do not scatter light evenly over the ones that do, as if
/// they did: what light that is even all around would make of them. Never waits.
void make_even(Stream& stream, const PathTracerFrame& frame, const GatherQueue& queue,
               const WaveCounts* counts);

/// Surfaces that camera rays meet, in any order.
struct SeenPlaces {
    View<EvenPlace> places;     ///< weight 0: nothing is met, or what scatters no light broadly
    View<std::uint32_t> count;  ///< one element: how many there are
};

/// Finds what the camera rays of the items [first, first + n) of a picture's order meet, but for
/// pixels that are done; sets their ray counts. The memory is that of `scratch`. Never waits.
[[nodiscard]] SeenPlaces look_at_pixels(Scratch& scratch, const PathJob& job,
                                        const PixelOrder& order, std::uint32_t first,
                                        std::uint32_t n);

TL_DEVICE_END
