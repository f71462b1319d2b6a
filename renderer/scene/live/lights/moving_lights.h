// Moving lights: emissive triangles of animated meshes and of walking instances, and animated
// emissive patches. One kernel per frame computes their positions and refits the light tree's nodes
// above them; the other nodes stay as built.
#pragma once

#include <span>
#include <vector>

#include "core/device/array.h"
#include "renderer/scene/live/lights/live_light_tree.h"

namespace tl {

/// A moving light and its leaf in the light tree.
struct MovingLight {
    static constexpr std::uint32_t kNoInstance = UINT32_MAX;

    std::uint32_t light;     ///< index into SceneView::lights
    std::uint32_t split;     ///< its leaf in the binary tree (LightSplit)
    std::uint32_t instance;  ///< instance of a triangle, or kNoInstance
    float mean;              ///< approximate mean radiance, W/(sr m^2), mean of the channels
};
static_assert(sizeof(MovingLight) == 16);

/// Link of a split (LightSplit) to its parent. Where lights move below both children of the parent,
/// the second thread to arrive continues upwards.
struct LightAscent {
    static constexpr std::uint32_t kRoot = UINT32_MAX >> 1;
    static constexpr std::uint32_t kBothMove = 1u << 31;
    std::uint32_t bits = kRoot;
    std::uint32_t lane = LightSplit::kNoLane;

    [[nodiscard]] TL_HD bool is_root() const { return parent() == kRoot; }
    [[nodiscard]] TL_HD std::uint32_t parent() const { return bits & kRoot; }
    [[nodiscard]] TL_HD bool both_move() const { return bits & kBothMove; }
};

/// Lights and light tree during a refit.
struct LightRefit {
    View<const MovingLight> moving;
    View<LightData> lights;
    LightChildrenToWrite tree;
    View<LightBounds> bounds;         ///< bounds of the splits
    View<const LightAscent> ascents;  ///< links of the splits
    /// Per split: 1 after the first of two threads has arrived; else 0.
    View<std::uint32_t> arrived;
};

class MovingLights {
  public:
    MovingLights() = default;
    /// `moving`: split not yet set; `bounds`: of all lights of the tree. No moving light may be
    /// dark, so that each has a split.
    MovingLights(Stream& stream, std::vector<MovingLight> moving, const LightTree& tree,
                 std::span<const LightBounds> bounds);

    [[nodiscard]] bool empty() const { return moving_.empty(); }
    /// Updates the lights and their tree to the geometry in `scene`; never waits.
    void update(Stream& stream, const SceneView& scene, View<LightData> lights,
                const LightChildrenToWrite& tree);
    [[nodiscard]] std::size_t bytes() const;

  private:
    DeviceArray<MovingLight> moving_;
    DeviceArray<LightBounds> bounds_;
    DeviceArray<LightAscent> ascents_;
    DeviceArray<std::uint32_t> arrived_;
    bool in_update_ = false;  // whether an update was left unfinished
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Moves the lights and refits the nodes above them. A light that is dark now, as a triangle
    /// without area, has power 0 in the tree.
    void move_lights(Stream& stream, const SceneView& scene, const LightRefit& refit);
)
// clang-format on
