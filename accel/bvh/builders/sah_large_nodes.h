// Upper levels of a SAH tree: nodes of too many primitives for full sweeps. They are split level by
// level, at the best of k planes sampled along each axis.
#pragma once

#include "accel/bvh/builders/subtree_task.h"
#include "accel/tree_builder.h"

namespace tl {

/// Subtree for the small-node stage; its references are in SahOrder::buffers[buffer].
struct SmallRoot {
    SubtreeTask task;
    std::uint32_t buffer = 0;
};

/// Order of the references while nodes are split.
struct SahOrder {
    /// Double buffer that levels alternate between.
    View<std::uint32_t> buffers[2];
    /// References that are leaves already, in their leaf slots; must not alias either buffer.
    View<std::uint32_t> leaves;
};

/// Roots of the subtrees that large-node splitting leaves to the small-node stage.
struct SmallRoots {
    View<SmallRoot> roots;
    View<std::uint32_t> n_roots;  ///< one element
};

struct LargeNodeConfig {
    static constexpr int kMaxSamples = 64;
    static constexpr int kMinSmallSize = 8;
    int n_samples = kMaxSamples;   ///< bins along each axis, 2 to kMaxSamples
    std::uint32_t small_size = 0;  ///< maximum number of references of a small node
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Appends the references of valid boxes to order.buffers[0] and returns them as a single task.
    /// Sets the header's n_valid, n_dropped and n_nodes.
    SubtreeTasks start_from_whole(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                                  const SahOrder& order);
    /// Splits the tasks, whose references are in order.buffers[0], down to small roots. Writes the
    /// nodes (except the output_sizes) and the leaves of one reference. Nodes that are still large
    /// after a fixed number of levels are halved from there on. Returns the small roots in scratch
    /// memory of the caller's scope.
    SmallRoots split_large_nodes(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                                 const SahOrder& order, const SubtreeTasks& tasks,
                                 const LargeNodeConfig& config);
)
// clang-format on
