// Bottom-up pass of linear BVHs: joins references that are sorted along a Morton curve.
#pragma once

#include "accel/bvh/builders/curve_order.h"

TL_DEVICE_BEGIN

/// Writes the nodes, the output sizes and the root of a tree. Its order and its number of valid
/// references must be set. Joins references of neighbouring codes. Never waits.
void join_along_curve(Scratch& scratch, View<const Box> boxes, const CurveOrder& curve,
                      const LeafPolicy& leaves, BinaryTree& tree);

TL_DEVICE_END
