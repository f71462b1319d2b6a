// The Bezier backend's passes between traces: camera rays, direct lighting, reflections. Each pixel
// has one active path at a time; element i of all arrays belongs to item i of the picture's part.
// Shadow rays of several lights and depths are collected and traced together.
#pragma once

#include "renderer/bezier/picture_part.h"
#include "renderer/film/film_view.h"
#include "renderer/path/gloss.h"
#include "renderer/path/path_ray.h"

TL_DEVICE_BEGIN

/// PathFrame with the settings of the Bezier renderer.
struct BezierFrame : PathFrame {
    int max_depth;  ///< bounces
    float ambient;
    bool shadows;
    Gloss gloss;  ///< the surfaces of the scene that distribute rays
};

/// One or more sets of shadow rays, stored set after set; each has one ray per path.
struct ShadowRays {
    View<Ray> rays;
    View<Hit> hits;
    View<vec3> light;  ///< contribution to the pixel if the ray is unoccluded

    /// Sets [first, first + count), each of `size` rays.
    [[nodiscard]] ShadowRays sets(std::size_t size, std::size_t first, std::size_t count) const {
        std::size_t from = first * size, n = count * size;
        return {{rays.data + from, n}, {hits.data + from, n}, {light.data + from, n}};
    }
};

/// The rays of a frame. An element without a ray has an infinite direction.
struct BezierRays {
    View<PathRay> paths;
    View<Ray> rays;  ///< the paths' newest rays
    View<Hit> hits;
    View<vec3> sums;  ///< radiance of the pixel
    View<std::uint32_t> n_rays;
    /// Densities of the rays that glossy surfaces distributed, 1/sr; 0 of other rays. Empty in
    /// frames without such surfaces.
    View<float> densities;
};

TL_HD inline bool is_ray(const Ray& ray) {
    return ray.direction.x < kInfinity;
}

/// Makes one ray through every pixel of the part, `offset` from the pixel's top left.
void make_bezier_camera_rays(Stream& stream, const BezierFrame& frame, const CameraRays& camera,
                             vec2 offset, const PicturePart& part, const FilmView& film,
                             const BezierRays& rays);
/// Makes a set of shadow rays to a light, with their contributions. With light 0, also adds the
/// background, emission and ambient light at the paths' hits. Scenes without lights call it once.
void start_bezier_light(Stream& stream, const BezierFrame& frame, std::uint32_t light,
                        const BezierRays& rays, const ShadowRays& set);
/// Adds the contributions of the unoccluded shadow rays of any number of sets.
void add_bezier_light(Stream& stream, const BezierRays& rays, const ShadowRays& sets);
/// Replaces rays that hit mirrors, glass and glossy surfaces by the reflected or refracted rays.
void reflect_bezier_rays(Stream& stream, const BezierFrame& frame, const BezierRays& rays);
/// Sets all hits to misses.
void clear_hits(Stream& stream, View<Hit> hits);
void write_bezier_film(Stream& stream, std::uint32_t sample, const FilmView& film,
                       const PicturePart& part, const BezierRays& rays);

TL_DEVICE_END
