// Bounding boxes that threads extend concurrently by integer atomic maxima.
#pragma once

#include "accel/box.h"
#include "core/device/atomics.h"
#include "core/device/block.h"

TL_DEVICE_BEGIN

/// Box as six order-preserving integers: ~ordered(lo) and ordered(hi). All zeros are an empty box.
struct OrderedBox {
    std::uint32_t maxima[6] = {};

    TL_HD static OrderedBox from(const Box& box) {
        OrderedBox ordered;
        for (int axis = 0; axis < 3; ++axis) {
            ordered.maxima[axis] = ~ordered_from_float(box.lo[axis]);
            ordered.maxima[axis + 3] = ordered_from_float(box.hi[axis]);
        }
        return ordered;
    }
    TL_HD static OrderedBox from_point(vec3 p) { return from({p, p}); }
    TL_HD void clear() {
        for (auto& m : maxima) m = 0;
    }
    [[nodiscard]] TL_HD Box box() const {
        Box box;
        if (maxima[3] == 0) return box;
        for (int axis = 0; axis < 3; ++axis) {
            box.lo[axis] = float_from_ordered(~maxima[axis]);
            box.hi[axis] = float_from_ordered(maxima[axis + 3]);
        }
        return box;
    }
    /// Extends a box that only this thread accesses.
    TL_HD void extend(const OrderedBox& by) {
        for (int k = 0; k < 6; ++k) maxima[k] = by.maxima[k] > maxima[k] ? by.maxima[k] : maxima[k];
    }
    /// Extends a box in shared memory. Called by all threads of the block; `by` may be empty.
    TL_D void extend_by_all(const Box& by) {
        OrderedBox other = from(by);
        for (int k = 0; k < 6; ++k) block_max_of_all(&maxima[k], other.maxima[k]);
    }
    /// Extends a box in device memory. Called by six threads, one for each side of the box.
    TL_D void extend_side(int k, const OrderedBox& by) { atomic_max(&maxima[k], by.maxima[k]); }
};
static_assert(sizeof(OrderedBox) == 24);

TL_DEVICE_END
