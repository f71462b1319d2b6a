// Top levels of a linear BVH: the hierarchy over clusters of primitives whose Morton codes share a
// prefix. Another builder makes the subtrees below.
#pragma once

#include "accel/bvh/builders/curve_order.h"
#include "accel/bvh/builders/subtree_task.h"

namespace tl {

/// Clusters below the top levels, in scratch memory of the caller's scope, numbered along the
/// curve.
struct LbvhTop {
    /// One task per cluster. A cluster holds one reference or more.
    SubtreeTasks clusters;
    /// Root of the linear BVH's own subtree of each cluster, for builders that keep it.
    View<const NodeRef> roots;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sorts along the curve and writes the whole linear BVH (tree.order, boxes, root, n_valid,
    /// n_dropped, n_nodes; not the output_sizes). References whose codes share the first `prefix_bits`
    /// (0 to 24) bits form a cluster: at most 2^prefix_bits clusters. The builder of a task may
    /// permute the task's references and overwrite its nodes, numbered as in SubtreeTask.
    LbvhTop build_lbvh_top(Scratch& scratch, const BuildInput& input, BinaryTree& tree,
                           CodeBits bits, int prefix_bits);
)
// clang-format on
