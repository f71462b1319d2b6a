// Refit: new boxes for an existing tree. One launch recomputes the boxes of a packed two-box tree
// from its leaves up to the root, with one thread per node; the second to arrive at a parent
// continues (as in Karras 2012). The atomic that counts an arrival also returns all that the thread
// must know of the parent: the parent's own parent, its side, and whether the thread is the second,
// from the bit that each arrival flips. Two arrivals restore the bit, so nothing needs to be
// cleared between refits.
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

/// A node's place in its parent, 4 bytes: node 28 bits, side 1 bit, and 1 bit that is flipped by
/// each arrival at the node itself.
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

/// Expected cost of a ray in a tree, like measure_tree's sah; in device memory.
struct TreeCost {
    float now = 0;    ///< with the current boxes
    float built = 0;  ///< after the last build; 0 if not measured yet
};

/// The data of a tree that is refitted in place.
struct RefitView {
    View<BvhNode> nodes;
    View<ParentRef> parents;  ///< as long as nodes; filled by find_parents
    View<TreeHeader> header;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Fills tree.parents of a newly built tree.
    void find_parents(Stream& stream, const RefitView& tree);
    /// Refits to new boxes of the primitives: boxes[order[place]] is the box at a leaf's place.
    /// Invalid boxes count as empty. Never waits. The tree must have parents.
    void refit(Stream& stream, const RefitView& tree, View<const Box> boxes,
               View<const std::uint32_t> order);
    /// Sets cost[0].now and, if it is 0, cost[0].built.
    void measure_sah_cost(Scratch& scratch, const RefitView& tree, View<TreeCost> cost);
)
// clang-format on
