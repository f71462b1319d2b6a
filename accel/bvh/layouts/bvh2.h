// Binary BVH for traversal ("two-box tree"): a 64-byte node holds the boxes of both children. One
// load thus suffices to intersect a ray with both boxes and to know which children are leaves.
#pragma once

#include <cstddef>

#include "accel/box.h"
#include "core/device/array.h"

namespace tl {

/// Reference to a child: an inner node's index, or a leaf's first slot in the leaf order and its
/// number of slots.
struct NodeRef {
    static constexpr std::uint32_t kLeafBit = 1u << 31;
    static constexpr std::uint32_t kCountShift = 28;
    static constexpr std::uint32_t kFirstMask = (1u << kCountShift) - 1;
    static constexpr std::uint32_t kMaxLeafSize = 8;
    std::uint32_t bits = 0;

    TL_HD static NodeRef inner(std::uint32_t node) { return {node}; }
    /// A leaf of `count` slots from `first` on; `count` is 1 to kMaxLeafSize.
    TL_HD static NodeRef leaf(std::uint32_t first, std::uint32_t count) {
        return {kLeafBit | (count - 1) << kCountShift | first};
    }
    /// Marks the absence of a child.
    TL_HD static NodeRef missing() { return {0xffffffffu}; }
    /// In a BinaryTree only: an inner node whose `count` primitives (2 to kMaxLeafSize) will become
    /// one leaf.
    TL_HD static NodeRef collapsed(std::uint32_t node, std::uint32_t count) {
        return {(count - 1) << kCountShift | node};
    }
    [[nodiscard]] TL_HD bool is_leaf() const { return bits & kLeafBit; }
    [[nodiscard]] TL_HD bool is_missing() const { return bits == 0xffffffffu; }
    [[nodiscard]] TL_HD std::uint32_t node() const { return bits & kFirstMask; }
    [[nodiscard]] TL_HD std::uint32_t first() const { return bits & kFirstMask; }
    /// Number of primitives of a leaf or of a collapsed inner node; 1 for other inner nodes.
    [[nodiscard]] TL_HD std::uint32_t count() const { return (bits >> kCountShift & 7u) + 1; }
    /// A leaf of several primitives without the first.
    [[nodiscard]] TL_HD NodeRef without_first() const { return {bits + 1u - (1u << kCountShift)}; }
    /// Whether this is a leaf, or an inner node that becomes one.
    [[nodiscard]] TL_HD bool ends_in_leaf() const { return is_leaf() || count() > 1; }
};

/// Maximum number of references of a tree: NodeRef::first has 28 bits, and missing() reserves the
/// last value.
inline constexpr std::size_t kMaxPrimitives = NodeRef::kFirstMask;

/// Boxes and references of a node's two children. A missing child's box lies at infinity, where no
/// ray intersects it.
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
        // Infinite along one axis only: the other slabs stay at a finite distance, so that rays
        // towards infinity do not intersect the box either.
        Box at_infinity;
        at_infinity.lo = at_infinity.hi = vec3(kInfinity, 0, 0);
        set_child(side, at_infinity, NodeRef::missing());
    }
    [[nodiscard]] TL_HD NodeRef child(int side) const { return side ? child1 : child0; }
    [[nodiscard]] TL_HD Box box(int side) const {
        Box b;
        b.lo = side ? lo1 : lo0;
        b.hi = side ? hi1 : hi0;
        return b;
    }
};
static_assert(sizeof(BvhNode) == 64);
static_assert(offsetof(BvhNode, lo1) == 32 && offsetof(BvhNode, child1) == 44);

/// Errors during building or traversal of a tree: bits of TreeHeader::errors.
enum TreeError : std::uint32_t {
    kBuildCapReached = 1,     ///< a builder's loop reached its iteration limit
    kOutOfReferences = 2,     ///< splitting exceeded the capacity for references
    kTraversalStackFull = 4,  ///< a ray's stack was full, so a subtree was skipped
};

/// Properties of a tree that are known only on the device.
struct TreeHeader {
    std::uint32_t root = 0;       ///< node that traversal starts at
    std::uint32_t n_nodes = 0;    ///< nodes in use, from 0
    std::uint32_t n_places = 0;   ///< slots of the leaf order in use, from 0
    std::uint32_t n_valid = 0;    ///< boxes that the tree was built over
    std::uint32_t n_dropped = 0;  ///< boxes left out: NaN, infinite or inverted
    std::uint32_t errors = 0;     ///< TreeError bits
    std::uint32_t n_padding = 0;  ///< references that pre-splitting left unused; part of n_dropped
    std::uint32_t unused0 = 0;
    /// Bounds of the valid boxes' centres, encoded; center_union_of() decodes them. Used only
    /// during builds.
    std::uint32_t center_union[6] = {};
    std::uint32_t unused1[2] = {};
};
static_assert(sizeof(TreeHeader) == 64);

/// Pointers to a tree of BvhNodes, passed to kernels by value.
struct Bvh2View {
    const BvhNode* nodes = nullptr;
    TreeHeader* header = nullptr;
};

}  // namespace tl
