// Radius-count queries over points in a BVH of any tree builder, whose boxes contain one point
// each.
#pragma once

#include "accel/bvh/layouts/bvh2.h"
#include "core/device/array.h"

namespace tl {

/// Tree of layout bvh2 whose primitives are points.
struct BvhOfPoints {
    View<const TreeHeader> header;
    View<const BvhNode> nodes;
    View<const std::uint32_t> order;  ///< the point in each leaf slot
    View<const vec3> points;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets boxes[i] to the box of points[i] alone.
    void box_points(Stream& stream, View<const vec3> points, View<Box> boxes);
    /// Sets counts[q] to the number of points closer than `radius` to query point q. Never waits.
    void count_within(Stream& stream, const BvhOfPoints& tree, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
