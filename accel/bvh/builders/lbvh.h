// The pass of linear BVHs that joins what lies along a curve.
#pragma once

#include "accel/bvh/builders/curve_order.h"

TL_DEVICE_BEGIN

/// Writes the nodes, the emission codes and the root of a tree whose order and number of valid
/// references are set: references of neighbouring codes are joined. Never waits.
void join_along_curve(Scratch& scratch, View<const Box> boxes, const CurveOrder& curve,
                      const LeafPolicy& leaves, BinaryTree& tree);

TL_DEVICE_END
