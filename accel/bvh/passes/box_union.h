// The union of many boxes or of their centres, stored in a tree's header.
#pragma once

#include "accel/bvh/layouts/binary_tree.h"
#include "accel/parallel/atomics.h"

TL_DEVICE_BEGIN

/// TreeHeader::center_union holds ~ordered(lo) and ordered(hi), so that zeros are an empty box.
TL_HD inline Box center_union_of(const TreeHeader& header) {
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        if (header.center_union[axis + 3] == 0) return box;
        box.lo[axis] = float_from_ordered(~header.center_union[axis]);
        box.hi[axis] = float_from_ordered(header.center_union[axis + 3]);
    }
    return box;
}

/// Adds the centres of the valid boxes to the header's union, their number to n_valid and the
/// number of the others to n_dropped.
void unite_centers(Stream& stream, View<const Box> boxes, View<TreeHeader> header);
/// The same with whole boxes instead of their centres.
void unite_boxes(Stream& stream, View<const Box> boxes, View<TreeHeader> header);

TL_DEVICE_END
