// Compressed 8-wide BVH, CWBVH (Ylitie, Karras and Laine 2017, "Efficient incoherent ray traversal
// on GPUs through compressed wide BVHs"). A node has 80 bytes, with 8 bits per plane of a child's
// box. Children are in slots by octant, so that bit operations give their order along a ray.
#pragma once

#include <cstddef>
#include <cstring>

#include "accel/bvh/layouts/wide_children.h"

namespace tl {

/// Node with quantised child boxes: planes lie at origin + q * 2^(exponent - 127). Inner children
/// are consecutive from first_child, in slot order. The primitives of leaf children are consecutive
/// in the leaf order, from first_place.
struct alignas(16) CwbvhNode {
    static constexpr std::uint32_t kMaxLeafSize = 3;
    vec3 origin;
    std::uint8_t exponent[3];
    std::uint8_t inner_mask;  ///< bit s: slot s is an inner child
    std::uint32_t first_child;
    std::uint32_t first_place;
    /// One byte per slot; 0 if it is empty. The lower 5 bits are a bit position in the hit mask,
    /// the upper 3 bits a unary count of bits to set there. For an inner child these are 24 + slot
    /// and 1. For a leaf they are its first primitive's offset from first_place and its number of
    /// primitives.
    std::uint8_t meta[kWide];
    std::uint8_t lo[3][kWide];
    std::uint8_t hi[3][kWide];

    [[nodiscard]] TL_HD float scale(int axis) const {
        std::uint32_t bits = std::uint32_t(exponent[axis]) << 23;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
};
static_assert(sizeof(CwbvhNode) == 80 && offsetof(CwbvhNode, exponent) == 12);
static_assert(offsetof(CwbvhNode, meta) == 24 && offsetof(CwbvhNode, lo) == 32);

/// Counters of a conversion in progress.
struct CwbvhProgress {
    std::uint32_t n_nodes;   ///< nodes that have been numbered
    std::uint32_t n_places;  ///< slots of the leaf order in use
    std::uint32_t n_drawn;   ///< node numbers that threads have claimed
    std::uint32_t n_done;    ///< nodes written
};

/// Pointers to the tree, passed to kernels by value. Traversal starts at node 0.
struct CwbvhView {
    const CwbvhNode* nodes = nullptr;
    TreeHeader* header = nullptr;
};

/// The nodes and the leaf order of a tree, on one device.
struct Cwbvh {
    DeviceArray<CwbvhNode> nodes;         ///< the first progress[0].n_nodes are in use
    DeviceArray<std::uint32_t> order;     ///< the primitive in each leaf slot
    DeviceArray<CwbvhProgress> progress;  ///< one element: the counts of the last conversion

    [[nodiscard]] CwbvhView view(TreeHeader* header) const { return {nodes.data(), header}; }
    [[nodiscard]] std::size_t bytes() const {
        return nodes.bytes() + order.bytes() + progress.bytes();
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Converts a tree with leaves of at most CwbvhNode::kMaxLeafSize primitives. Runs on the
    /// stream of `scratch` without waiting; allocates only to grow.
    void convert_to_cwbvh(Scratch& scratch, View<const BvhNode> nodes,
                          View<const std::uint32_t> order, View<const TreeHeader> header,
                          Cwbvh& wide);
)
// clang-format on
