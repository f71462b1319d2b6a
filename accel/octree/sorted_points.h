// The first stages of builders: bounds, keys, and the points in the order of their keys.
#pragma once

#include "accel/octree/octree_builder.h"
#include "accel/parallel/operators/operators.h"

TL_DEVICE_BEGIN

/// Makes room in the tree, and sets the header's bounds, counts of points and grid.
void find_grid(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer);
/// Then: keys and numbers of all points as given, in the tree's buffer for keys and in scratch
/// memory of the caller's scope.
[[nodiscard]] Pairs<std::uint64_t> write_keys(Scratch& scratch, View<const Surfel> points,
                                              Octree& tree, StageTimer& timer);
/// Sets the points of the tree to those of `order`, as they count.
void gather_points(Stream& stream, View<const Surfel> points, View<const std::uint32_t> order,
                   Octree& tree, StageTimer& timer);
/// Sorts points: keys, a radix sort, and points in that order.
void sort_points(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                 Octree& tree, StageTimer& timer);

TL_DEVICE_END
