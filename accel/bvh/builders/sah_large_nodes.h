// The upper levels of a SAH tree: nodes of too many primitives for full sweeps are split level by
// level at the best of k planes sampled along each axis.
#pragma once

#include "accel/bvh/builders/subtree_task.h"
#include "accel/tree_builder.h"

namespace tl {

/// A subtree for the small-node stage; its references are in buffers[buffer].
struct SmallRoot {
    SubtreeTask task;
    std::uint32_t buffer = 0;
};

/// References at their places. Levels alternate between the first two buffers; references that
/// already are leaves are in `leaves`, which is neither of them.
struct SahOrder {
    View<std::uint32_t> buffers[2];
    View<std::uint32_t> leaves;
};

struct SmallRoots {
    View<SmallRoot> roots;
    View<std::uint32_t> n_roots;  ///< one element
};

struct LargeNodeConfig {
    static constexpr int kMaxSamples = 64;
    static constexpr int kMinSmallSize = 8;
    int n_samples = kMaxSamples;   ///< bins along each axis, 2 to kMaxSamples
    std::uint32_t small_size = 0;  ///< references of the largest small node
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Appends the references of valid boxes to order.buffers[0] and makes them a single task. Sets
    /// the header's n_valid, n_dropped and n_nodes.
    SubtreeTasks start_from_whole(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                                  const SahOrder& order);
    /// Splits the tasks' references, in order.buffers[0], down to small roots; writes the nodes
    /// (except the emission) and the leaves of one reference. Nodes that are still large after a
    /// fixed number of levels are halved from there on. Results are in scratch memory of the
    /// caller's scope.
    SmallRoots split_large_nodes(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                                 const SahOrder& order, const SubtreeTasks& tasks,
                                 const LargeNodeConfig& config);
)
// clang-format on
