// The points of a scene in batches of neighbours, packed so that a frame can draw hundreds of
// millions of them (after Schuetz, Kerbl & Wimmer 2022, "Software rasterization of 2 billion points
// in real time").
#pragma once

#include <cstdint>

#include "accel/parallel/array.h"
#include "renderer/scene/live/live_points.h"

namespace tl {

/// Points that lie near each other, and the grid of 2^20 steps along each axis on which they are.
struct PointBatch {
    static constexpr std::uint32_t kMostPoints = 1024;
    static constexpr int kBits = 20;  ///< of a coordinate on the grid
    vec3 lo;
    std::uint32_t n;
    vec3 step;
    float radius;  ///< the largest of its points; 0: they have none
};
static_assert(sizeof(PointBatch) == 32);

/// The batches as kernels see them. The points of batch b are those from b * kMostPoints on. Any
/// first few of them are spread over the whole batch.
struct PointBatchesView {
    View<const PointBatch> batches;
    View<const std::uint32_t> high;     ///< the upper ten bits of x, y and z, x highest
    View<const std::uint32_t> low;      ///< the lower ten bits
    View<const std::uint32_t> colors;   ///< packed RGBA8 (r lowest), sRGB
    View<const std::uint32_t> numbers;  ///< in the scene: see PointBatches::count
};

/// The position of a batch's point by its bits.
TL_HD inline vec3 position_in(const PointBatch& batch, std::uint32_t high, std::uint32_t low) {
    vec3 steps;
    for (int axis = 0; axis < 3; ++axis) {
        int shift = 10 * (2 - axis);
        steps[axis] = static_cast<float>((high >> shift & 1023) << 10 | (low >> shift & 1023));
    }
    return batch.lo + (steps + 0.5f) * batch.step;
}
/// The position of a point whose number among those of all batches is `i`.
TL_HD inline vec3 position_of(const PointBatchesView& points, std::uint32_t i) {
    return position_in(points.batches[i / PointBatch::kMostPoints], points.high[i], points.low[i]);
}

/// The memory of batches.
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
    /// Makes the batches of the first spheres, splats and vertices of a scene within `bounds`: points
    /// of a batch follow each other along Morton's curve. Their colours are those of the
    /// materials, with the colours of spheres and vertices and textures. Never waits.
    void make_point_batches(Scratch& scratch, const SceneView& scene, const PointCounts& counts,
                            const Box& bounds, PointBatches& points);
)
// clang-format on
