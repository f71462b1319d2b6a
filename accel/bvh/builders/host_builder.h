// Reference builders that run in host memory: boxes are downloaded from their device, and the
// finished binary tree is uploaded. Unlike all other builders these wait for the device. The table
// lists them as CPU builders, but they serve every device.
#pragma once

#include <span>
#include <vector>

#include "accel/tree_builder.h"

namespace tl {

/// A binary tree with one primitive per leaf over at least two boxes.
struct HostBinaryTree {
    std::vector<BinaryNode> nodes;  ///< one fewer than there are boxes
    std::vector<std::uint32_t> order;
    std::uint32_t root = 0;
};

class HostTreeBuilder : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) final;

  private:
    /// Builds over the boxes at indices `valid`, at least two; order holds elements of `valid`.
    [[nodiscard]] virtual HostBinaryTree build_on_host(std::span<const Box> boxes,
                                                       std::vector<std::uint32_t> valid) = 0;
};

}  // namespace tl
