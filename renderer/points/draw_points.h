// Rasterises points without rays: each is projected to its pixel, which keeps the nearest one.
#pragma once

#include "renderer/film/film_view.h"
#include "renderer/points/point_batches.h"
#include "renderer/points/points_config.h"
#include "renderer/shading/camera_rays.h"

namespace tl {

/// A pinhole projection. A position p has the distance z = dot(p - eye, forward). Its image
/// position is (dot(p - eye, across), dot(p - eye, down)) / z, in pixels from the top left. Points
/// have no depth of field.
struct PointCamera {
    vec3 eye, forward, across, down;
    float pixels_per_angle;  ///< focal length, pixels
    Extent extent;

    PointCamera(const Camera& camera, Extent extent);
};

/// Fraction of the points drawn in a frame, and their size.
struct PointShare {
    std::uint32_t part = 0, n_parts = 1;  ///< part to draw, of n_parts
    float size = 1;                       ///< factor of the points' own radius; 0: a pixel each
    float per_pixel = 0;  ///< limit on points per pixel that a batch may cover; 0: all
};

/// Nearest point of a pixel, packed: distance along the view, then number among the points of all
/// batches. Ordered by distance; all ones where there is none.
struct NearestPoint {
    static constexpr std::uint64_t kNone = ~std::uint64_t(0);
    [[nodiscard]] TL_HD static std::uint64_t packed(float distance, std::uint32_t number) {
        return std::uint64_t(bits_of_float(distance)) << 32 | number;
    }
    [[nodiscard]] TL_HD static float distance(std::uint64_t packed) {
        return float_of_bits(static_cast<std::uint32_t>(packed >> 32));
    }
    [[nodiscard]] TL_HD static std::uint32_t number(std::uint64_t packed) {
        return static_cast<std::uint32_t>(packed);
    }
};

/// Colouring of pixels by their nearest points.
struct PointLook {
    PointColor color = PointColor::own;
    float shading = 0.4f;           ///< strength of eye-dome lighting
    int up = 1;                     ///< axis of heights
    float lowest = 0, highest = 0;  ///< heights of the first and the last colour
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Draws the part of the points selected by `share` into `nearest`, which has an element per
    /// pixel.
    void draw_points(Stream& stream, const PointBatchesView& points, const PointCamera& camera,
                     const PointShare& share, View<std::uint64_t> nearest);
    /// Colours the pixels of a film by their nearest points; `ramp` are 256 colours for heights.
    /// Stores the heights, minus infinity where there is no point, unless `heights` is empty.
    void shade_points(Stream& stream, const PointBatchesView& points, const PointLook& look,
                      View<const std::uint64_t> nearest, View<const vec3> ramp,
                      const FilmView& film, View<float> heights);
)
// clang-format on
