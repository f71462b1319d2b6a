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

struct LightTree {
    std::vector<LightNode> nodes;  ///< the root first, children after their parents
    /// For each light the way from the root to its leaf: bit k is 1 where it goes to the second
    /// child at depth k. Lights that are dark have none.
    std::vector<std::uint64_t> trails;
};

/// Builds the tree over lights by splits of the least cost (surface area, orientation, power). Dark
/// lights are left out.
[[nodiscard]] LightTree build_light_tree(std::span<const LightBounds> lights);

}  // namespace tl
