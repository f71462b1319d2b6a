// Refit: new boxes for an existing tree. One launch recomputes the boxes of a packed two-box tree
// bottom-up, with one thread per node. The second thread to arrive at a parent continues (as in
// Karras 2012). The atomic operation that counts an arrival flips a bit of the parent's ParentRef
// and returns the word. It thus gives the parent's own parent and side, and whether the thread is
// the second. Two arrivals restore the bit, so nothing is cleared between refits.
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

/// Reference from a node to its parent, 4 bytes: the parent in 28 bits, the node's side in 1 bit,
/// and 1 bit that each arrival at the node itself flips.
struct ParentRef {
    static constexpr std::uint32_t kNodeMask = NodeRef::kFirstMask;
    static constexpr std::uint32_t kSideShift = 28;
    static constexpr std::uint32_t kArrivedBit = 1u << 29;
    static constexpr std::uint32_t kRoot = kNodeMask;  ///< marks the node without a parent
    std::uint32_t bits = kRoot;

    TL_HD static ParentRef of(std::uint32_t node, int side) {
        return {node | static_cast<std::uint32_t>(side) << kSideShift};
    }
    [[nodiscard]] TL_HD bool is_root() const { return (bits & kNodeMask) == kRoot; }
    [[nodiscard]] TL_HD std::uint32_t node() const { return bits & kNodeMask; }
    [[nodiscard]] TL_HD int side() const { return static_cast<int>(bits >> kSideShift & 1u); }
    [[nodiscard]] TL_HD bool arrived() const { return bits & kArrivedBit; }
};
static_assert(sizeof(ParentRef) == 4);

/// SAH cost of a tree, the expected cost of a ray, as TreeStats::sah; in device memory.
struct TreeCost {
    float now = 0;    ///< cost with the current boxes
    float built = 0;  ///< cost after the last build; 0 if not measured yet
};

/// Views of a tree whose boxes a refit overwrites.
struct RefitView {
    View<BvhNode> nodes;
    View<ParentRef> parents;  ///< one per node; filled by find_parents
    View<TreeHeader> header;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Fills tree.parents of a newly built tree.
    void find_parents(Stream& stream, const RefitView& tree);
    /// Refits to new boxes of the primitives: boxes[order[slot]] is the box of a leaf's slot.
    /// Invalid boxes count as empty. Never waits. find_parents() must have filled tree.parents.
    void refit(Stream& stream, const RefitView& tree, View<const Box> boxes,
               View<const std::uint32_t> order);
    /// Computes the SAH cost. Sets cost[0].now and, if it is 0, cost[0].built.
    void measure_sah_cost(Scratch& scratch, const RefitView& tree, View<TreeCost> cost);
)
// clang-format on
