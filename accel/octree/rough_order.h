// Points in order by the levels of their tree, and then by all levels within each leaf.
#pragma once

#include "accel/octree/octree_builder.h"

TL_DEVICE_BEGIN

/// Sets all of a tree but the attributes, by sorting keys by tree.key_levels() levels. `in_place`:
/// the points are those of the tree itself, which have moved, and keep their indices.
void order_points(Scratch& scratch, View<const Surfel> points, bool in_place,
                  const OctreeConfig& config, Octree& tree, StageTimer& timer);

TL_DEVICE_END
