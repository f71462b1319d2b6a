// Bounds of many boxes or of their centres, stored in a tree's header.
#pragma once

#include "accel/bvh/layouts/binary_tree.h"
#include "core/device/atomics.h"

TL_DEVICE_BEGIN

/// Decodes TreeHeader::center_union, which holds ~ordered(lo) and ordered(hi): zeros are an empty
/// box.
TL_HD inline Box center_union_of(const TreeHeader& header) {
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        if (header.center_union[axis + 3] == 0) return box;
        box.lo[axis] = float_from_ordered(~header.center_union[axis]);
        box.hi[axis] = float_from_ordered(header.center_union[axis + 3]);
    }
    return box;
}

/// Extends the header's union by the centres of the valid boxes. Adds their number to n_valid, and
/// the number of invalid boxes to n_dropped.
void unite_centers(Stream& stream, View<const Box> boxes, View<TreeHeader> header);
/// Extends the header's union by the valid boxes themselves; counts boxes as unite_centers() does.
void unite_boxes(Stream& stream, View<const Box> boxes, View<TreeHeader> header);

TL_DEVICE_END
