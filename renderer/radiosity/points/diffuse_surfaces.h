// Shading points on surfaces with wide lobes (diffuse or rough glossy): position, normal, albedo.
#pragma once

#include "accel/octree/octree.h"
#include "renderer/path/path_rays.h"

TL_DEVICE_BEGIN

/// Both sides of surface samples. Sample i has the entries 2 i and 2 i + 1.
struct SampleSides {
    /// State of a side with a wide lobe: dark (no light found yet) or a radiosity point.
    enum Mark : std::uint32_t { kDark = 1, kPoint = 2 };

    View<Surfel> points;
    View<vec3> starts;          ///< origins of rays, off the surface
    View<vec3> albedo;          ///< of wide lobes
    View<std::uint32_t> marks;  ///< a Mark each; 0: no wide lobe, or no surface found
};

/// Evaluates the surface at each sample by rays from `lift` metres off, on both sides. Sides
/// marked kPoint keep mark and position. Others are marked kDark if they have a wide lobe, else 0.
/// `frame` is that of the scene's paths. Never waits.
void look_at_sides(Scratch& scratch, const PathTracerFrame& frame, View<const Surfel> samples,
                   float lift, const SampleSides& sides);

/// Converts a queue's other gather points to Lambertian ones, which overwrite the queue's own. The
/// throughput includes the wide lobes' albedo under uniform incident radiance, over pi. Never
/// waits.
void make_lambertian(Stream& stream, const PathTracerFrame& frame, const GatherQueue& queue,
                     WaveCounts* counts);

/// Hits of camera rays, in any order.
struct CameraHits {
    View<LambertianPoint> points;  ///< throughput 0: no hit, or a mirror or smooth glass
    View<std::uint32_t> count;     ///< one element: the number of `points`
};

/// Traces the camera rays of items [first, first + n) of a picture's pixel order, except for pixels
/// that are done. Sets the pixels' ray counts. The result is in memory of `scratch`. Never waits.
[[nodiscard]] CameraHits look_at_pixels(Scratch& scratch, const PathJob& job,
                                        const PixelOrder& order, std::uint32_t first,
                                        std::uint32_t n);

TL_DEVICE_END
