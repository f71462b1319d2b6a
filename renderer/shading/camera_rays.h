// Primary rays: a pinhole camera made ready for kernels, and the order in which pixels are visited.
#pragma once

#include "accel/bvh/morton.h"
#include "accel/primitives.h"
#include "renderer/scene/scene.h"

namespace tl {

/// A camera for one image size: the ray through image position (x, y), in pixels from the top left,
/// goes along corner + x * step_x + y * step_y.
struct CameraRays {
    vec3 origin;
    vec3 corner;
    vec3 step_x;
    vec3 step_y;

    CameraRays(const Camera& camera, Extent extent) : origin(camera.eye) {
        vec3 forward = glm::normalize(camera.target - camera.eye);
        vec3 side = glm::cross(forward, camera.up);
        // An `up` along the view would leave no side: any other axis will do.
        if (glm::length(side) < 1e-6f)
            side = glm::cross(forward, glm::abs(forward.x) < 0.9f ? vec3(1, 0, 0) : vec3(0, 1, 0));
        side = glm::normalize(side);
        vec3 up = glm::cross(side, forward);
        auto width = static_cast<float>(extent.width), height = static_cast<float>(extent.height);
        float half_height = glm::tan(glm::radians(camera.vertical_fov) / 2);
        float step = 2 * half_height / height;
        step_x = side * step;
        step_y = -up * step;
        corner = forward - step_x * (width / 2) - step_y * (height / 2);
    }
    [[nodiscard]] TL_HD Ray through(float x, float y) const {
        Ray ray;
        ray.origin = origin;
        ray.direction = glm::normalize(corner + x * step_x + y * step_y);
        return ray;
    }
};

/// Pixels in tiles of 16x16, Morton order within a tile: 32 neighbours in a launch cover 8x4
/// pixels, so that the rays of a warp stay together.
struct PixelOrder {
    static constexpr std::uint32_t kTile = 16;
    Extent extent;
    std::uint32_t tiles_x, n_items;

    explicit PixelOrder(Extent extent)
        : extent(extent),
          tiles_x((extent.width + kTile - 1) / kTile),
          n_items(tiles_x * ((extent.height + kTile - 1) / kTile) * kTile * kTile) {}

    /// The pixel of a launch item; false for the items of border tiles that lie outside.
    TL_HD bool pixel(std::uint32_t item, std::uint32_t& x, std::uint32_t& y) const {
        std::uint32_t tile = item / (kTile * kTile);
        glm::uvec2 within = morton_decode_2(item % (kTile * kTile));
        x = tile % tiles_x * kTile + within.x;
        y = tile / tiles_x * kTile + within.y;
        return x < static_cast<std::uint32_t>(extent.width) &&
               y < static_cast<std::uint32_t>(extent.height);
    }
};

}  // namespace tl
