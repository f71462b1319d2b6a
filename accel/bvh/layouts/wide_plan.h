// Chooses which two-box nodes become the children of each 8-wide node, at the least total cost of
// node visits and leaf tests by the surface-area heuristic (Ylitie, Karras & Laine 2017, section
// 4.3, by dynamic programming from the leaves up). On the CPU.
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

/// Plans for the nodes of one tree, which must stay valid while the plan is in use.
class WidePlan {
  public:
    /// Plans all nodes below `root`.
    void make(View<const BvhNode> nodes, std::uint32_t root);
    /// The children of the wide node that replaces `node`.
    [[nodiscard]] PlannedChildren children(std::uint32_t node) const;

  private:
    /// costs[i]: cost of a node's subtree as at most i + 1 children of a wide node above it.
    using Costs = std::array<float, kWide>;

    struct Split {
        int left = 1;  ///< slots of the left child; the right one gets the others
        float cost = kInfinity;
    };

    [[nodiscard]] float cost(const BvhNode& node, int side, int slots) const;
    /// The best way to divide `slots` between the children of a node.
    [[nodiscard]] Split split(const BvhNode& node, int slots) const;
    void plan(std::uint32_t node, const Box& box, int depth);
    void open(const BvhNode& node, int slots, PlannedChildren& children) const;

    View<const BvhNode> nodes_;
    std::vector<Costs> costs_;  ///< one per node
};

}  // namespace tl
