// The tree that every builder writes: 64-byte nodes that hold the boxes of both children, so that a
// ray learns from one fetch which children it meets and which of them are leaves.
#pragma once

#include <cstddef>

#include "accel/box.h"
#include "accel/parallel/array.h"

namespace tl {

/// A child: an inner node's index, or a leaf's first place in the leaf order and its length.
struct NodeRef {
    static constexpr std::uint32_t kLeafBit = 1u << 31;
    static constexpr std::uint32_t kCountShift = 28;
    static constexpr std::uint32_t kFirstMask = (1u << kCountShift) - 1;
    static constexpr std::uint32_t kMaxLeafSize = 8;
    std::uint32_t bits = 0;

    TL_HD static NodeRef inner(std::uint32_t node) { return {node}; }
    /// `count` from 1 to kMaxLeafSize.
    TL_HD static NodeRef leaf(std::uint32_t first, std::uint32_t count) {
        return {kLeafBit | (count - 1) << kCountShift | first};
    }
    [[nodiscard]] TL_HD bool is_leaf() const { return bits & kLeafBit; }
    [[nodiscard]] TL_HD std::uint32_t node() const { return bits; }
    [[nodiscard]] TL_HD std::uint32_t first() const { return bits & kFirstMask; }
    [[nodiscard]] TL_HD std::uint32_t count() const { return (bits >> kCountShift & 7u) + 1; }
};

/// Primitives that a tree can hold (the bits of NodeRef::first).
inline constexpr std::size_t kMaxPrimitives = NodeRef::kFirstMask;

/// Both children of an inner node. The missing child of a tree of one primitive is a second
/// reference to that primitive, in a box at infinity.
struct alignas(64) BvhNode {
    vec3 lo0;
    NodeRef child0;
    vec3 hi0;
    std::uint32_t unused0;
    vec3 lo1;
    NodeRef child1;
    vec3 hi1;
    std::uint32_t unused1;

    TL_HD void set_child(int side, const Box& box, NodeRef ref) {
        (side ? lo1 : lo0) = box.lo;
        (side ? hi1 : hi0) = box.hi;
        (side ? child1 : child0) = ref;
    }
    TL_HD void set_missing_child(int side) {
        Box at_infinity;
        at_infinity.hi = at_infinity.lo;
        set_child(side, at_infinity, NodeRef::leaf(0, 1));
    }
    [[nodiscard]] TL_HD bool is_missing(int side) const {
        Box b = box(side);
        return b.lo.x == kInfinity && b.hi.x == kInfinity;
    }
    [[nodiscard]] TL_HD Box box(int side) const {
        Box b;
        b.lo = side ? lo1 : lo0;
        b.hi = side ? hi1 : hi0;
        return b;
    }
};
static_assert(sizeof(BvhNode) == 64);
static_assert(offsetof(BvhNode, lo1) == 32 && offsetof(BvhNode, child1) == 44);

/// What a kernel needs of a tree. The root's index is in device memory: builders choose it there.
struct Bvh2View {
    const BvhNode* nodes = nullptr;
    const std::uint32_t* root = nullptr;
    std::uint32_t n_primitives = 0;
};

/// A tree in device memory, used again by every rebuild.
struct Bvh2 {
    DeviceArray<BvhNode> nodes;        ///< n_primitives - 1; one for one primitive, none for none
    DeviceArray<std::uint32_t> root;   ///< one element: index of the root node
    DeviceArray<std::uint32_t> order;  ///< primitive at each place of the leaf order
    std::uint32_t n_primitives = 0;

    [[nodiscard]] Bvh2View view() const { return {nodes.data(), root.data(), n_primitives}; }
};

}  // namespace tl
