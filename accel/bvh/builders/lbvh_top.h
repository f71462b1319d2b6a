// The top of a linear BVH: the hierarchy over clusters of primitives whose Morton codes share a
// prefix, under which another builder makes the subtrees.
#pragma once

#include "accel/bvh/builders/curve_order.h"
#include "accel/bvh/builders/subtree_task.h"

namespace tl {

/// In scratch memory of the caller's scope. Clusters are numbered along the curve.
struct LbvhTop {
    /// One task for each cluster. A cluster may hold any number of references, from one on.
    SubtreeTasks clusters;
    /// The linear BVH's own subtree of each cluster, for who wants to keep it.
    View<const NodeRef> roots;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sorts along the curve and writes the whole linear BVH (tree.order, boxes, root, n_valid,
    /// n_dropped, n_nodes; not the emission). At most 2^prefix_bits clusters: references are of one
    /// cluster if their codes share the first `prefix_bits` (0 to 24) bits. What is built for a task
    /// may permute its places and overwrite its nodes, whose numbers are those that SubtreeTask says.
    LbvhTop build_lbvh_top(Scratch& scratch, const BuildInput& input, BinaryTree& tree,
                           CodeBits bits, int prefix_bits);
)
// clang-format on
