// The passes of the Bezier backend between its traces: rays of the camera, light, reflections. One
// ray a pixel is alive at a time; item i of all arrays is item i of the part of the picture.
#pragma once

#include "renderer/bezier/picture_part.h"
#include "renderer/film/film_view.h"
#include "renderer/whitted/whitted_shading.h"

TL_DEVICE_BEGIN

/// The rays of a frame. A ray that is none has an infinite direction.
struct BezierRays {
    View<WhittedRay> paths;
    View<Ray> rays;  ///< of the paths
    View<Hit> hits;
    View<Ray> shadow_rays;
    View<Hit> shadow_hits;
    View<vec3> light;  ///< that comes along a shadow ray, in the pixel
    View<vec3> sums;   ///< radiance of the pixel
    View<std::uint32_t> n_rays;
};

TL_HD inline bool is_ray(const Ray& ray) {
    return ray.direction.x < kInfinity;
}

/// One ray through every pixel of the part, `offset` from its top left.
void make_bezier_camera_rays(Stream& stream, const WhittedFrame& frame, const CameraRays& camera,
                             vec2 offset, const PicturePart& part, const FilmView& film,
                             const BezierRays& rays);
/// Shadow rays to a light and what comes along them; with light 0 also the background, emission and
/// ambient light of what the rays met. To be called once where there is no light.
void start_bezier_light(Stream& stream, const WhittedFrame& frame, std::uint32_t light,
                        const BezierRays& rays);
/// The light of the shadow rays that met nothing.
void add_bezier_light(Stream& stream, const BezierRays& rays);
/// Rays that go on from mirrors and glass, in place of those that came there.
void reflect_bezier_rays(Stream& stream, const WhittedFrame& frame, const BezierRays& rays);
/// No ray has met anything yet.
void clear_hits(Stream& stream, View<Hit> hits);
void write_bezier_film(Stream& stream, std::uint32_t sample, const FilmView& film,
                       const PicturePart& part, const BezierRays& rays);

TL_DEVICE_END
