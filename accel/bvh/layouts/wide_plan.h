// SAH-optimal collapse of a binary BVH into 8-wide nodes, on the CPU (Ylitie, Karras & Laine 2017,
// section 4.3). Dynamic programming from the leaves up selects the children of each wide node. It
// minimises the total SAH cost of node visits and leaf tests.
#pragma once

#include <array>
#include <vector>

#include "accel/bvh/layouts/wide_children.h"
#include "core/device/device.h"

namespace tl {

/// The children of one wide node.
struct PlannedChildren {
    std::array<Box, kWide> boxes;
    std::array<NodeRef, kWide> refs;
    int count = 0;
};

/// Collapse decisions for the nodes of one tree. The tree must stay valid while the plan is in use.
class WidePlan {
  public:
    /// Computes the costs of all nodes below `root`.
    void make(View<const BvhNode> nodes, std::uint32_t root);
    /// Returns the children of the wide node that replaces `node`.
    [[nodiscard]] PlannedChildren children(std::uint32_t node) const;

  private:
    /// Costs of a node's subtree: element i if it becomes at most i + 1 children of a wide node
    /// above it.
    using Costs = std::array<float, kWide>;

    /// Division of a wide node's child slots between the two children of a binary node.
    struct Split {
        int left = 1;  ///< slots of the left child; the right one gets the others
        float cost = kInfinity;
    };

    [[nodiscard]] float cost(const BvhNode& node, int side, int slots) const;
    /// Returns the division of `slots` between the children of a node that costs least.
    [[nodiscard]] Split split(const BvhNode& node, int slots) const;
    void plan(std::uint32_t node, const Box& box, int depth);
    void open(const BvhNode& node, int slots, PlannedChildren& children) const;

    View<const BvhNode> nodes_;
    std::vector<Costs> costs_;  ///< one per node
};

}  // namespace tl
