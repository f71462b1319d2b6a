// Shading points of camera paths, for a grid of pixels.
#pragma once

#include "accel/morton.h"
#include "core/device/array.h"
#include "renderer/optics/packed_direction.h"
#include "renderer/path/path_job.h"

TL_DEVICE_BEGIN

/// First point of a camera path on a surface with a diffuse or rough lobe, behind specular bounces
/// if there are any.
struct alignas(16) ShadingPoint {
    vec3 position;
    std::uint32_t normal;          ///< shading normal, pack_direction<16>
    vec3 origin;                   ///< origin of rays that leave it
    std::uint32_t horizon_normal;  ///< ShadingContext::horizon_normal, pack_direction<16>
    PatchPosition on_patch;
    std::uint32_t media;   ///< media in which the rays start
    std::uint32_t exists;  ///< 0: the path has no such point

    [[nodiscard]] TL_HD vec3 shading_normal() const { return unpack_direction<16>(normal); }
};
static_assert(sizeof(ShadingPoint) == 48);

/// Every stride-th pixel of every stride-th row, numbered in Morton order. So the nodes of a
/// quadtree over the picture are ranges of slots.
struct ShadingGrid {
    /// Most pixels along a side.
    static constexpr std::uint32_t kMostSide = 256;

    Extent extent;
    std::uint32_t stride;
    int log_side;  ///< log2 of the side of a square that contains the grid

    explicit ShadingGrid(Extent extent);
    [[nodiscard]] TL_HD std::uint32_t n_slots() const { return 1u << (2 * log_side); }
    /// Pixel of a slot; false where it is outside the picture.
    [[nodiscard]] TL_HD bool pixel(std::uint32_t slot, std::uint32_t& x, std::uint32_t& y) const {
        glm::uvec2 at = morton_decode_2(slot);
        x = at.x * stride + stride / 2;
        y = at.y * stride + stride / 2;
        return x < static_cast<std::uint32_t>(extent.width) &&
               y < static_cast<std::uint32_t>(extent.height);
    }
    [[nodiscard]] TL_HD std::uint32_t slot_of(std::uint32_t pixel) const {
        auto width = static_cast<std::uint32_t>(extent.width);
        return spread_bits_2(pixel % width / stride) | spread_bits_2(pixel / width / stride) << 1;
    }
};

/// Traces camera paths of the grid's pixels to their first shading point. `points` has an entry for
/// each slot. Never waits.
void find_shading_points(Scratch& scratch, const PathJob& job, const ShadingGrid& grid,
                         View<ShadingPoint> points);

TL_DEVICE_END
