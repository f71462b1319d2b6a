// Compacts the valid boxes: collects the references that a tree is built over.
#pragma once

#include "accel/bvh/layouts/binary_tree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes the indices of the valid boxes to the front of `order`, approximately in their order.
    /// Adds to the header's n_valid and n_dropped.
    void append_valid(Stream& stream, View<const Box> boxes, View<std::uint32_t> order,
                      View<TreeHeader> header);
)
// clang-format on
