// A scene's points in batches of neighbours, packed so that a frame can draw hundreds of millions
// of them. After Schuetz, Kerbl & Wimmer 2022, "Software rasterization of 2 billion points in real
// time".
#pragma once

#include <cstdint>

#include "core/device/array.h"
#include "renderer/scene/live/live_points.h"

namespace tl {

/// Points close to each other, quantised to a grid of 2^20 steps along each axis.
struct PointBatch {
    static constexpr std::uint32_t kMostPoints = 1024;
    static constexpr int kBits = 20;  ///< bits of a coordinate on the grid
    vec3 lo;
    std::uint32_t n;
    vec3 step;
    float radius;  ///< largest radius of its points; 0: they have none
};
static_assert(sizeof(PointBatch) == 32);

/// Batches for kernels. Batch b has the points from index b * kMostPoints on. Any prefix of them is
/// spread over the whole batch.
struct PointBatchesView {
    View<const PointBatch> batches;
    View<const std::uint32_t> high;     ///< the upper ten bits of x, y and z, x highest
    View<const std::uint32_t> low;      ///< the lower ten bits
    View<const std::uint32_t> colors;   ///< packed RGBA8 (r lowest), sRGB
    View<const std::uint32_t> numbers;  ///< indices in the scene: see PointBatches::count
};

/// Dequantises the position of a batch's point.
TL_HD inline vec3 position_in(const PointBatch& batch, std::uint32_t high, std::uint32_t low) {
    vec3 steps;
    for (int axis = 0; axis < 3; ++axis) {
        int shift = 10 * (2 - axis);
        steps[axis] = static_cast<float>((high >> shift & 1023) << 10 | (low >> shift & 1023));
    }
    return batch.lo + (steps + 0.5f) * batch.step;
}
/// Position of the point of index `i` among those of all batches.
TL_HD inline vec3 position_of(const PointBatchesView& points, std::uint32_t i) {
    return position_in(points.batches[i / PointBatch::kMostPoints], points.high[i], points.low[i]);
}

/// Owner of the batches' memory.
struct PointBatches {
    DeviceArray<PointBatch> batches;
    DeviceArray<std::uint32_t> high, low, colors, numbers;
    PointCounts counts;

    [[nodiscard]] PointBatchesView view() const {
        return {batches.view(), high.view(), low.view(), colors.view(), numbers.view()};
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Makes the batches of the first spheres, splats and vertices of a scene within `bounds`.
    /// Points of a batch are consecutive along a Morton curve. Their colours are those of the
    /// materials, including textures and the colours of spheres and vertices. Never waits.
    void make_point_batches(Scratch& scratch, const SceneView& scene, const PointCounts& counts,
                            const Box& bounds, PointBatches& points);
)
// clang-format on
