// Builders that run in host memory, as references for the others: the boxes are fetched from their
// device, the finished binary tree is put there. Unlike all other builders these wait. In the table
// they stand as builders of the CPU, but they serve every device.
#pragma once

#include <span>
#include <vector>

#include "accel/tree_builder.h"

namespace tl {

/// A binary tree of one primitive to a leaf over at least two boxes.
struct HostBinaryTree {
    std::vector<BinaryNode> nodes;  ///< one less than there are boxes
    std::vector<std::uint32_t> order;
    std::uint32_t root = 0;
};

class HostTreeBuilder : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) final;

  private:
    /// Over the boxes at `valid`, at least two; order holds elements of `valid`.
    [[nodiscard]] virtual HostBinaryTree build_on_host(std::span<const Box> boxes,
                                                       std::vector<std::uint32_t> valid) = 0;
};

}  // namespace tl
