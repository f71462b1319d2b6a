// Refit: new boxes for an old tree. The boxes of a packed two-box tree are computed anew from its
// leaves up to its root in one launch, by a thread for each node, of which the second to arrive at
// a parent goes on (as Karras 2012 does for its boxes). What a thread must know of a parent comes
// with the atomic that counts its arrival: the parent's own parent, its side, and whether it is the
// second, which the bit that it flips says. Two arrivals leave the bit as it was, so that nothing
// needs to be cleared between refits.
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

/// A node's place in its parent, 4 bytes: node 28 bits, side 1 bit, and 1 bit that arrivals at the
/// node itself flip.
struct ParentRef {
    static constexpr std::uint32_t kNodeMask = NodeRef::kFirstMask;
    static constexpr std::uint32_t kSideShift = 28;
    static constexpr std::uint32_t kArrivedBit = 1u << 29;
    static constexpr std::uint32_t kRoot = kNodeMask;  ///< of the node without a parent
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

/// What rays are expected to cost in a tree, as measure_tree's sah; in device memory.
struct TreeCost {
    float now = 0;    ///< of the boxes as they are
    float built = 0;  ///< after the last build; 0 where nothing was measured yet
};

/// A tree that is refitted in place.
struct RefitView {
    View<BvhNode> nodes;
    View<ParentRef> parents;  ///< as long as nodes, from find_parents
    View<TreeHeader> header;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Fills tree.parents of a tree that was just built.
    void find_parents(Stream& stream, const RefitView& tree);
    /// Refits over new boxes of the primitives: boxes[order[place]] is that at a place of the leaves.
    /// Boxes that are not valid count as empty. Never waits. The tree must have parents.
    void refit(Stream& stream, const RefitView& tree, View<const Box> boxes,
               View<const std::uint32_t> order);
    /// Sets cost[0].now, and built too where it is 0.
    void measure_sah_cost(Scratch& scratch, const RefitView& tree, View<TreeCost> cost);
)
// clang-format on
