// Reference BVH builders that run in host memory. They download boxes from their device and upload
// the finished binary tree. Unlike all other builders these wait for the device. The table of
// builders lists them as CPU builders, but they serve every device.
#pragma once

#include <span>
#include <vector>

#include "accel/tree_builder.h"

namespace tl {

/// Binary tree in host memory, over at least two boxes, with one primitive per leaf.
struct HostBinaryTree {
    std::vector<BinaryNode> nodes;  ///< one fewer than there are boxes
    std::vector<std::uint32_t> order;
    std::uint32_t root = 0;
};

/// Base of builders in host memory: transfers boxes and tree, and filters invalid boxes.
class HostTreeBuilder : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) final;

  private:
    /// Builds the tree over the boxes at indices `valid`, at least two. The result's `order` holds
    /// elements of `valid`.
    [[nodiscard]] virtual HostBinaryTree build_on_host(std::span<const Box> boxes,
                                                       std::vector<std::uint32_t> valid) = 0;
};

}  // namespace tl
