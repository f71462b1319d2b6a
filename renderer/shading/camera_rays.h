// Primary rays: a pinhole or thin-lens camera prepared for kernels, and the order in which pixels
// are rendered.
#pragma once

#include "accel/morton.h"
#include "accel/primitives.h"
#include "core/base/fused.h"
#include "renderer/optics/directions.h"
#include "renderer/scene/scene.h"
#include "renderer/shading/pixel_filter.h"
#include "renderer/shading/sampler.h"

namespace tl {

/// A camera for one image size. The ray through image position (x, y), in pixels from the top left,
/// has direction corner + x * step_x + y * step_y. Rays through other points of the lens intersect
/// it in the plane of focus.
struct CameraRays {
    vec3 origin;
    vec3 corner;
    vec3 step_x;
    vec3 step_y;
    vec3 lens_x, lens_y;  ///< vectors from the lens' centre to its rim
    float focus_distance;
    SamplePattern pattern;
    PixelFilter filter;
    float filter_radius;  ///< pixels

    CameraRays(const Camera& camera, Extent extent, const SamplingConfig& sampling = {})
        : origin(camera.eye),
          pattern(sampling.pattern),
          filter(sampling.filter),
          filter_radius(sampling.radius()) {
        vec3 forward = glm::normalize(camera.target - camera.eye);
        vec3 side = glm::cross(forward, camera.up);
        // An `up` parallel to the view gives no side vector: use another axis.
        if (glm::length(side) < 1e-6f)
            side = glm::cross(forward, glm::abs(forward.x) < 0.9f ? vec3(1, 0, 0) : vec3(0, 1, 0));
        side = glm::normalize(side);
        vec3 up = glm::cross(side, forward);
        auto width = static_cast<float>(extent.width), height = static_cast<float>(extent.height);
        float half_height = glm::tan(glm::radians(camera.vertical_fov) / 2);
        float step = 2 * half_height / height;
        step_x = side * step;
        step_y = -up * step;
        lens_x = side * camera.lens_radius;
        lens_y = up * camera.lens_radius;
        focus_distance = camera.focus_distance > 0 ? camera.focus_distance
                                                   : glm::length(camera.target - camera.eye);
        corner = forward - step_x * (width / 2) - step_y * (height / 2);
    }
    /// The direction of image position (x, y), not normalised.
    [[nodiscard]] TL_HD vec3 towards(float x, float y) const {
        return fused(y, step_y, fused(x, step_x, corner));
    }
    [[nodiscard]] TL_HD Ray through(float x, float y) const {
        Ray ray;
        ray.origin = origin;
        ray.direction = fused_unit(towards(x, y));
        return ray;
    }
    /// Whether the camera has a lens, so that rays need a point on it.
    [[nodiscard]] TL_HD bool has_lens() const { return lens_x != vec3(0); }
    /// The ray of position (x, y) through a point on the lens, given by two numbers in [0, 1).
    [[nodiscard]] TL_HD Ray through(float x, float y, float r1, float r2) const {
        vec2 place = concentric_disk(r1, r2);
        vec3 from_center = fused(place.x, lens_x, product(place.y, lens_y));
        Ray ray;
        ray.origin = origin + from_center;
        ray.direction = fused_unit(fused(focus_distance, towards(x, y), -from_center));
        return ray;
    }
    /// The ray of the sampler's sample of pixel (x, y), filtered around its centre. A pinhole draws
    /// one pair of numbers, a lens two.
    [[nodiscard]] TL_HD Ray sample(std::uint32_t x, std::uint32_t y, Sampler& sampler) const {
        vec2 place = sampler.next();
        float dx = sample_filter(filter, place.x), dy = sample_filter(filter, place.y);
        float px = fmaf(filter_radius, dx, static_cast<float>(x) + 0.5f);
        float py = fmaf(filter_radius, dy, static_cast<float>(y) + 0.5f);
        if (!has_lens()) return through(px, py);
        vec2 on_lens = sampler.next();
        return through(px, py, on_lens.x, on_lens.y);
    }
};

/// Maps the items of a launch to pixels: tiles of 16x16 in row-major order, pixels in Morton order
/// within a tile. The 32 consecutive items of a warp cover 8x4 pixels, so that its rays stay
/// coherent.
struct PixelOrder {
    static constexpr std::uint32_t kTile = 16;  ///< as FilmShare::kTile
    static constexpr std::uint32_t kTileItems = kTile * kTile;
    Extent extent;
    std::uint32_t tiles_x;                 ///< tiles in a row of the picture
    std::uint32_t n_items;                 ///< 256 a tile, those beyond the border included
    const std::uint32_t* tiles = nullptr;  ///< indices of the tiles, as in FilmView; null: all

    /// The pixels of listed tiles, such as those of a FilmView; all pixels where `tiles` is null.
    PixelOrder(Extent extent, const std::uint32_t* tiles, std::uint32_t n_tiles)
        : PixelOrder(extent) {
        if (!tiles) return;
        this->tiles = tiles;
        n_items = n_tiles * kTileItems;
    }
    /// All pixels of a picture.
    explicit PixelOrder(Extent extent)
        : extent(extent),
          tiles_x((extent.width + kTile - 1) / kTile),
          n_items(tiles_x * ((extent.height + kTile - 1) / kTile) * kTileItems) {}

    /// The pixel of a launch item; false for items of border tiles that lie outside the picture.
    TL_HD bool pixel(std::uint32_t item, std::uint32_t& x, std::uint32_t& y) const {
        std::uint32_t tile = item / kTileItems;
        if (tiles) tile = tiles[tile];
        glm::uvec2 within = morton_decode_2(item % kTileItems);
        x = tile % tiles_x * kTile + within.x;
        y = tile / tiles_x * kTile + within.y;
        return x < static_cast<std::uint32_t>(extent.width) &&
               y < static_cast<std::uint32_t>(extent.height);
    }
};

}  // namespace tl
