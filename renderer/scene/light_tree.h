// A tree over many lights, by which a renderer chooses the ones that matter at a point (Conty
// Estevez & Kulla 2018, "Importance sampling of many lights with adaptive tree splitting"). It is
// built in host memory, for lights at rest; nodes are refitted to lights that have moved
// (renderer/scene/live/moving_lights.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/scene/light_bounds.h"

namespace tl {

/// A node of the binary tree whose every second level makes the nodes of a light tree.
struct LightSplit {
    static constexpr std::uint32_t kNoLane = UINT32_MAX;

    std::uint32_t child;  ///< the first of two that lie together; or LightChild::kLeaf | the light
    /// Its lane, LightNode::kWidth * node + child; kNoLane: of a level that has none.
    std::uint32_t lane = kNoLane;
};

struct LightTree {
    std::vector<LightNode> nodes;  ///< the root first, children after their parents
    /// For each light the way from the root to it: bits 2k and 2k + 1 are the child that is taken
    /// at depth k. Lights that are dark have none.
    std::vector<std::uint64_t> trails;
    std::vector<LightSplit> splits;  ///< the root first, children after their parents
};

/// Builds the tree over lights by splits of the least cost (surface area, orientation, power). Dark
/// lights are left out.
[[nodiscard]] LightTree build_light_tree(std::span<const LightBounds> lights);

}  // namespace tl
