// Binary BVH in depth-first order with skip pointers, for traversal without a stack (Smits 1998,
// "Efficient bounding box intersection", 2.1; Lahabar 2010, 4.2.1). A node holds its own box. A ray
// that intersects the box of an inner node goes on to the next node of the array, its first child;
// any other ray goes on to the node that the skip pointer names, the next one outside of the
// subtree. Nodes have 32 bytes in one array; Lahabar's have 56 in eight arrays.
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

/// Inner node or leaf.
struct alignas(32) SkipNode {
    /// Value of `skip` that ends the traversal.
    static constexpr std::uint32_t kEnd = 0xffffffffu;

    vec3 lo;
    NodeRef leaf;  ///< slots of a leaf; missing() for an inner node
    vec3 hi;
    std::uint32_t skip;  ///< index of the first node after this subtree, or kEnd
};
static_assert(sizeof(SkipNode) == 32);
static_assert(offsetof(SkipNode, leaf) == 12 && offsetof(SkipNode, skip) == 28);

/// Pointer to a tree of SkipNodes, passed to kernels by value.
struct SkipTreeView {
    const SkipNode* nodes = nullptr;  ///< the root is node 0; null if the tree has another layout
};

/// Nodes in device memory, written by emit_skip_tree() (accel/bvh/passes/emit_skip_tree.h).
struct SkipTree {
    DeviceArray<SkipNode> nodes;
    DeviceArray<std::uint32_t> n_nodes;  ///< one element: nodes in use

    [[nodiscard]] SkipTreeView view() const { return {nodes.data()}; }
    [[nodiscard]] std::size_t bytes() const { return nodes.bytes() + n_nodes.bytes(); }
};

}  // namespace tl
