// 4-wide BVH nodes of 64 bytes with quantised boxes: a ray visits half as many nodes as in a
// two-box tree, at the same size per node. Quantises as Ylitie, Karras, Laine 2017, "Efficient
// incoherent ray traversal on GPUs through compressed wide BVHs". Departs from it by four children
// instead of eight, and by full child references: leaves keep their slots, and children may be in
// any order.
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

/// Node of up to four children. Child k's box along an axis is origin + scale * [byte k of lo, byte
/// k of hi]. A missing child has the reference missing().
struct alignas(64) Bvh4Node {
    vec3 origin;
    std::uint32_t scale_xy;  ///< upper 16 bits of two floats: x in the low half, y in the high one
    NodeRef children[4];
    std::uint32_t lo[3];
    float scale_z;
    std::uint32_t hi[3];
    std::uint32_t unused;
};
static_assert(sizeof(Bvh4Node) == 64);
static_assert(offsetof(Bvh4Node, children) == 16 && offsetof(Bvh4Node, lo) == 32 &&
              offsetof(Bvh4Node, hi) == 48);

/// Pointers to a tree of Bvh4Nodes, passed to kernels by value.
struct Bvh4View {
    const Bvh4Node* nodes = nullptr;  ///< the root is node 0
    TreeHeader* header = nullptr;
};

/// 4-wide nodes in device memory, converted from two-box nodes.
struct Bvh4 {
    DeviceArray<Bvh4Node> nodes;
    DeviceArray<std::uint32_t> n_nodes;  ///< one element: nodes in use

    [[nodiscard]] Bvh4View view(TreeHeader* header) const { return {nodes.data(), header}; }
    [[nodiscard]] std::size_t bytes() const { return nodes.bytes() + n_nodes.bytes(); }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Converts the tree of `nodes` below header[0].root into 4-wide nodes. Opens the child of the
    /// largest area until there are four. Leaves keep their slots. Does not wait; allocates only to
    /// grow.
    void convert_to_bvh4(Scratch& scratch, View<const BvhNode> nodes, View<TreeHeader> header,
                         Bvh4& wide);
)
// clang-format on
