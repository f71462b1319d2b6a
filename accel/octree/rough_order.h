// Two-stage sort of an octree's points: by the upper levels of their keys, then by all levels
// within each leaf.
#pragma once

#include "accel/octree/octree_builder.h"

TL_DEVICE_BEGIN

/// Sets all parts of a tree except the attributes; sorts keys by tree.key_levels() levels. With
/// `in_place` the points are those of the tree itself, which have moved and keep their indices.
void order_points(Scratch& scratch, View<const Surfel> points, bool in_place,
                  const OctreeConfig& config, Octree& tree, StageTimer& timer);

TL_DEVICE_END
