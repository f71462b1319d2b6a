// Compressed 8-wide tree (Ylitie, Karras and Laine 2017, "Efficient incoherent ray traversal on
// GPUs through compressed wide BVHs"): 80-byte nodes, 8 bits per plane of a child's box, and
// children in slots by octant, so that bit operations give their order along a ray.
#pragma once

#include <cstddef>
#include <cstring>

#include "accel/bvh/layouts/wide_children.h"

namespace tl {

/// Planes lie at origin + q * 2^(exponent - 127). Inner children are consecutive from first_child,
/// in slot order; the primitives of leaf children are consecutive from first_place.
struct alignas(16) CwbvhNode {
    static constexpr std::uint32_t kMaxLeafSize = 3;
    vec3 origin;
    std::uint8_t exponent[3];
    std::uint8_t inner_mask;  ///< bit s: slot s is an inner child
    std::uint32_t first_child;
    std::uint32_t first_place;
    /// One byte per slot; 0 if it is empty. The lower 5 bits are a bit position in the hit mask,
    /// the upper 3 bits a unary count of bits to set there: 24 + slot and 1 for an inner child; for
    /// a leaf, its first primitive's offset from first_place and its number of primitives.
    std::uint8_t meta[kWide];
    std::uint8_t lo[3][kWide];
    std::uint8_t hi[3][kWide];

    [[nodiscard]] TL_HD float scale(int axis) const {
        std::uint32_t bits = std::uint32_t(exponent[axis]) << 23;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    /// The slot's box, decoded with the same rounding as in traversal.
    [[nodiscard]] TL_HD Box box(int slot) const {
        Box b;
        for (int axis = 0; axis < 3; ++axis) {
            b.lo[axis] = fmaf(float(lo[axis][slot]), scale(axis), origin[axis]);
            b.hi[axis] = fmaf(float(hi[axis][slot]), scale(axis), origin[axis]);
        }
        return b;
    }
    [[nodiscard]] TL_HD bool is_inner(int slot) const { return inner_mask >> slot & 1; }
    /// Number of primitives in a slot that is not an inner child.
    [[nodiscard]] TL_HD std::uint32_t count(int slot) const {
        std::uint32_t ones = meta[slot] >> 5;
        return (ones & 1) + (ones >> 1 & 1) + (ones >> 2);
    }
};
static_assert(sizeof(CwbvhNode) == 80 && offsetof(CwbvhNode, exponent) == 12);
static_assert(offsetof(CwbvhNode, meta) == 24 && offsetof(CwbvhNode, lo) == 32);

/// Counters of a conversion in progress.
struct CwbvhProgress {
    std::uint32_t n_nodes;   ///< nodes that have been numbered
    std::uint32_t n_places;  ///< places of the leaf order in use
    std::uint32_t n_drawn;   ///< numbers that threads have drawn to work on
    std::uint32_t n_done;    ///< nodes written
};

/// All that a kernel needs of the tree; traversal starts at node 0.
struct CwbvhView {
    const CwbvhNode* nodes = nullptr;
    TreeHeader* header = nullptr;
};

/// The nodes and the leaf order of a tree, on one device.
class Cwbvh {
  public:
    /// Converts a tree with leaves of at most CwbvhNode::kMaxLeafSize primitives on the scratch's
    /// stream, without waiting; allocates only to grow.
    void convert(Scratch& scratch, View<const BvhNode> nodes, View<const std::uint32_t> order,
                 View<const TreeHeader> header);
    /// Frees all memory.
    void clear() { *this = Cwbvh(); }

    [[nodiscard]] CwbvhView view(TreeHeader* header) const { return {nodes_.data(), header}; }
    /// The first progress().n_nodes are in use.
    [[nodiscard]] const DeviceArray<CwbvhNode>& nodes() const { return nodes_; }
    [[nodiscard]] View<const std::uint32_t> order() const { return order_.view(); }
    /// One element: the counts of the last conversion.
    [[nodiscard]] View<const CwbvhProgress> progress() const { return progress_.view(); }
    [[nodiscard]] std::size_t bytes() const {
        return nodes_.bytes() + order_.bytes() + progress_.bytes();
    }

  private:
    DeviceArray<CwbvhNode> nodes_;
    DeviceArray<std::uint32_t> order_;
    DeviceArray<CwbvhProgress> progress_;
};

}  // namespace tl
