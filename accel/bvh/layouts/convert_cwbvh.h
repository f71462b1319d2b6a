// Converts a tree of two-box nodes to a compressed 8-wide tree.
#pragma once

#include "accel/bvh/layouts/cwbvh.h"

namespace tl {

/// Input and output of the conversion. `queue` is temporary and as long as `nodes`.
struct CwbvhConversion {
    View<const BvhNode> from;
    View<const std::uint32_t> from_order;
    View<const TreeHeader> header;
    View<CwbvhNode> nodes;
    View<std::uint32_t> order;
    View<CwbvhProgress> progress;
    View<std::uint32_t> queue;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    void convert_to_cwbvh(Stream& stream, CwbvhConversion conversion);
)
// clang-format on
