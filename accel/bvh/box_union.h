// The union of many boxes, or of their centres, as six ordered integers in device memory.
#pragma once

#include "accel/box.h"
#include "accel/bvh/atomics.h"
#include "accel/parallel/array.h"

TL_DEVICE_BEGIN

/// lo.x lo.y lo.z hi.x hi.y hi.z, each as ordered_from_float.
inline constexpr std::size_t kOrderedBoxSize = 6;

TL_HD inline Box box_from_ordered(const std::uint32_t* ordered) {
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.lo[axis] = float_from_ordered(ordered[axis]);
        box.hi[axis] = float_from_ordered(ordered[axis + 3]);
    }
    return box;
}

/// Union of the centres of `boxes`; an empty box where there are none. Boxes with a NaN are left
/// out.
void union_of_centers(Stream& stream, View<const Box> boxes, View<std::uint32_t> ordered);

TL_DEVICE_END
