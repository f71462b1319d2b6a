// A tree over many lights, by which a renderer chooses the ones that matter at a point (Conty
// Estevez & Kulla 2018, "Importance sampling of many lights with adaptive tree splitting"). It is
// built in host memory, for lights at rest; nodes can be refitted to lights that have moved.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accel/box.h"

namespace tl {

/// Where light comes from and where it goes: directions within `cone` of the axis, and within
/// `falloff` more of one of those.
struct LightBounds {
    Box box;
    vec3 axis{0, 0, 1};     ///< unit
    float cos_cone = 1;     ///< cosine of the angle between the axis and the outermost normal
    float cos_falloff = 0;  ///< cosine of the angle around a normal within which it emits
    float power = 0;        ///< W, the mean of the channels; 0: dark

    [[nodiscard]] static LightBounds united(const LightBounds& a, const LightBounds& b);
};

/// A node: bounds of all its lights.
struct alignas(16) LightNode {
    /// Marks a leaf, in `child`.
    static constexpr std::uint32_t kLeaf = 1u << 31;

    vec3 center;   ///< of the sphere around the box,
    float radius;  ///< and its radius
    vec3 axis;
    float power;
    float cos_cone;
    float sin_cone;
    float cos_falloff;
    std::uint32_t child;  ///< the first of two that lie together; or kLeaf | the light's index
};
static_assert(sizeof(LightNode) == 48);

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
