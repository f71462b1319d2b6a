// Lights that move: emissive triangles of animated meshes and of instances that walk, and animated
// emissive patches. For every
// frame that moves them one kernel computes where they are and refits the light tree's nodes above
// them; the others stay as built.
#pragma once

#include <span>
#include <vector>

#include "accel/parallel/array.h"
#include "renderer/scene/live/live_light_tree.h"

namespace tl {

/// A light that moves and its place in the light tree.
struct MovingLight {
    static constexpr std::uint32_t kNoInstance = UINT32_MAX;

    std::uint32_t light;     ///< index into SceneView::lights
    std::uint32_t split;     ///< its own
    std::uint32_t instance;  ///< that a triangle belongs to, or kNoInstance
    float mean;              ///< about its mean radiance, W/(sr m^2), the mean of the channels
};
static_assert(sizeof(MovingLight) == 16);

/// Where a split of the light tree (LightSplit) stands. Where lights move below both children of
/// its parent, the second thread to arrive from them goes on.
struct LightAscent {
    static constexpr std::uint32_t kRoot = UINT32_MAX >> 1;
    static constexpr std::uint32_t kBothMove = 1u << 31;
    std::uint32_t bits = kRoot;
    std::uint32_t lane = LightSplit::kNoLane;

    [[nodiscard]] TL_HD bool is_root() const { return parent() == kRoot; }
    [[nodiscard]] TL_HD std::uint32_t parent() const { return bits & kRoot; }
    [[nodiscard]] TL_HD bool both_move() const { return bits & kBothMove; }
};

/// Lights and light tree while they are refitted.
struct LightRefit {
    View<const MovingLight> moving;
    View<LightData> lights;
    LightChildrenToWrite tree;
    View<LightBounds> bounds;         ///< of the splits
    View<const LightAscent> ascents;  ///< of the splits
    View<std::uint32_t> arrived;      ///< at a split: 1 while one of two threads has; else 0
};

class MovingLights {
  public:
    MovingLights() = default;
    /// `moving`: without the splits; `bounds`: of all lights of the tree. None of the moving ones
    /// may be dark, so that each has a split.
    MovingLights(Stream& stream, std::vector<MovingLight> moving, const LightTree& tree,
                 std::span<const LightBounds> bounds);

    [[nodiscard]] bool empty() const { return moving_.empty(); }
    /// Writes the lights and their tree as of the geometry in `scene`; never waits.
    void update(Stream& stream, const SceneView& scene, View<LightData> lights,
                const LightChildrenToWrite& tree);
    [[nodiscard]] std::size_t bytes() const;

  private:
    DeviceArray<MovingLight> moving_;
    DeviceArray<LightBounds> bounds_;
    DeviceArray<LightAscent> ascents_;
    DeviceArray<std::uint32_t> arrived_;
    bool in_update_ = false;  // an update did not end
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Places the moving lights and refits the nodes above them. A light that is dark now, as a
    /// triangle without area, has no power in the tree.
    void move_lights(Stream& stream, const SceneView& scene, const LightRefit& refit);
)
// clang-format on
