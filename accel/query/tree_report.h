// Properties of a tree, read back from its device.
#pragma once

#include "accel/tree.h"

namespace tl {

struct TreeReport {
    TreeHeader header;
    Box bounds;          ///< of all boxes; empty for an empty tree
    float sah_cost = 0;  ///< of the current boxes
};

/// Reads the properties of a tree that has been built under a policy that refits. Waits.
[[nodiscard]] TreeReport report_tree(Scratch& scratch, Tree& tree);

}  // namespace tl
