// Points within a radius, found in a tree over boxes that hold one point each, by any tree builder.
#pragma once

#include "accel/bvh/layouts/bvh2.h"
#include "accel/parallel/array.h"

namespace tl {

/// A tree of layout bvh2 whose primitives are points.
struct BvhOfPoints {
    View<const TreeHeader> header;
    View<const BvhNode> nodes;
    View<const std::uint32_t> order;  ///< the point at each place that leaves refer to
    View<const vec3> points;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// boxes[i] = the box of points[i] alone.
    void box_points(Stream& stream, View<const vec3> points, View<Box> boxes);
    /// counts[q] = how many points are closer to place q than `radius`. Never waits.
    void count_within(Stream& stream, const BvhOfPoints& tree, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
