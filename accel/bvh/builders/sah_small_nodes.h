// Lower levels of a SAH tree: complete subtrees by full-sweep SAH.
#pragma once

#include "accel/bvh/builders/sah_large_nodes.h"

namespace tl {

/// Maximum number of references of a small root: one for each thread of a block.
inline constexpr int kMaxSmallSize = 256;
/// Levels below a small root that are swept. Deeper nodes are halved, so that the tree is not too
/// deep for the traversal stack.
inline constexpr int kSweptLevels = 24;

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Builds the subtrees of all small roots, of at most `small_size` references each, down to
    /// single references. Writes the references to their leaf slots in order.leaves.
    void sweep_small_nodes(Stream& stream, const BuildInput& input, const BinaryTree& tree,
                           const SahOrder& order, const SmallRoots& small,
                           std::uint32_t small_size);
)
// clang-format on
