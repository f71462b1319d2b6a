// Which two-box nodes become the children of one 8-wide node, so that node visits and leaf tests
// cost a ray the least by the surface-area heuristic (Ylitie, Karras & Laine 2017, section 4.3, by
// dynamic programming from the leaves up). On the CPU.
#pragma once

#include <array>
#include <vector>

#include "accel/bvh/layouts/wide_children.h"
#include "accel/parallel/device.h"

namespace tl {

/// The children of one wide node.
struct PlannedChildren {
    std::array<Box, kWide> boxes;
    std::array<NodeRef, kWide> refs;
    int count = 0;
};

/// Over the nodes of one tree, which it reads while it is in use.
class WidePlan {
  public:
    /// Plans everything below `root`.
    void make(View<const BvhNode> nodes, std::uint32_t root);
    /// The children that the wide node in the place of `node` gets.
    [[nodiscard]] PlannedChildren children(std::uint32_t node) const;

  private:
    /// costs[i]: of what is below a node, cut into at most i + 1 children of a wide node above it.
    using Costs = std::array<float, kWide>;

    struct Split {
        int left = 1;  ///< slots of the left child; the right one has the others
        float cost = kInfinity;
    };

    [[nodiscard]] float cost(const BvhNode& node, int side, int slots) const;
    /// The best way to share `slots` among the children of a node.
    [[nodiscard]] Split split(const BvhNode& node, int slots) const;
    void plan(std::uint32_t node, const Box& box, int depth);
    void open(const BvhNode& node, int slots, PlannedChildren& children) const;

    View<const BvhNode> nodes_;
    std::vector<Costs> costs_;  ///< of every node
};

}  // namespace tl
