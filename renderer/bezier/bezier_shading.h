// The passes of the Bezier backend between its traces: rays of the camera, light, reflections. One
// path a pixel is alive at a time; item i of all arrays is item i of the part of the picture.
// Shadow rays, of several lights and depths, wait to be traced together.
#pragma once

#include "renderer/bezier/picture_part.h"
#include "renderer/film/film_view.h"
#include "renderer/shading/path.h"

TL_DEVICE_BEGIN

/// What kernels need of a frame besides rays.
struct BezierFrame : PathFrame {
    int max_depth;  ///< bounces
    float ambient;
    bool shadows;
};

/// One or more sets of shadow rays, a ray for every path in each, set after set.
struct ShadowRays {
    View<Ray> rays;
    View<Hit> hits;
    View<vec3> light;  ///< that comes along a ray, in the pixel

    /// Sets [first, first + count), each of `size` rays.
    [[nodiscard]] ShadowRays sets(std::size_t size, std::size_t first, std::size_t count) const {
        std::size_t from = first * size, n = count * size;
        return {{rays.data + from, n}, {hits.data + from, n}, {light.data + from, n}};
    }
};

/// The rays of a frame. A ray that is none has an infinite direction.
struct BezierRays {
    View<PathRay> paths;
    View<Ray> rays;  ///< of the paths
    View<Hit> hits;
    View<vec3> sums;  ///< radiance of the pixel
    View<std::uint32_t> n_rays;
};

TL_HD inline bool is_ray(const Ray& ray) {
    return ray.direction.x < kInfinity;
}

/// One ray through every pixel of the part, `offset` from its top left.
void make_bezier_camera_rays(Stream& stream, const BezierFrame& frame, const CameraRays& camera,
                             vec2 offset, const PicturePart& part, const FilmView& film,
                             const BezierRays& rays);
/// A set of shadow rays to a light and what comes along them; with light 0 also the background,
/// emission and ambient light of what the paths met. To be called once where there is no light.
void start_bezier_light(Stream& stream, const BezierFrame& frame, std::uint32_t light,
                        const BezierRays& rays, const ShadowRays& set);
/// The light of the shadow rays, of any number of sets, that met nothing.
void add_bezier_light(Stream& stream, const BezierRays& rays, const ShadowRays& sets);
/// Rays that go on from mirrors and glass, in place of those that came there.
void reflect_bezier_rays(Stream& stream, const BezierFrame& frame, const BezierRays& rays);
/// No ray has met anything yet.
void clear_hits(Stream& stream, View<Hit> hits);
void write_bezier_film(Stream& stream, std::uint32_t sample, const FilmView& film,
                       const PicturePart& part, const BezierRays& rays);

TL_DEVICE_END
