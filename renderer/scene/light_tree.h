// A tree over many lights, for importance sampling of direct lighting (Conty Estevez & Kulla 2018,
// "Importance sampling of many lights with adaptive tree splitting"). It is built in host memory,
// for lights at rest. Nodes are refitted to lights that have moved
// (renderer/scene/live/lights/moving_lights.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/scene/light_bounds.h"

namespace tl {

/// A node of the binary tree; every second level of it makes the nodes of a light tree.
struct LightSplit {
    static constexpr std::uint32_t kNoLane = UINT32_MAX;

    std::uint32_t child;  ///< the first of two adjacent children; or LightChild::kLeaf | light
    /// Its lane, LightNode::kWidth * node + child; kNoLane on levels that make no nodes.
    std::uint32_t lane = kNoLane;
};

struct LightTree {
    std::vector<LightNode> nodes;  ///< the root first, children after their parents
    /// Path from the root to each light: bits 2k and 2k + 1 are the child taken at depth k. Dark
    /// lights have none.
    std::vector<std::uint64_t> trails;
    std::vector<LightSplit> splits;  ///< the root first, children after their parents
};

/// Builds the tree over lights by splits of the least cost (surface area, orientation, power). Dark
/// lights are left out.
[[nodiscard]] LightTree build_light_tree(std::span<const LightBounds> lights);

}  // namespace tl
