// Current positions of a scene's points: centres of spheres and splats, and vertices.
#pragma once

#include "accel/octree/octree_builder.h"
#include "renderer/scene/live/live_scene.h"

namespace tl {

/// Counts of a scene's points, which are numbered in this order.
struct PointCounts {
    std::uint32_t spheres = 0, splats = 0, vertices = 0;

    [[nodiscard]] std::uint32_t all() const { return spheres + splats + vertices; }
};
/// Vertices of meshes that are visible only through instances are not counted.
[[nodiscard]] PointCounts count_points(const Scene& scene);

/// An octree over a scene's points, for queries.
class LivePoints {
  public:
    /// Builds it over the current points. Waits; throws UserError where memory is short.
    void build(Scratch& scratch, const LiveScene& scene);
    [[nodiscard]] OctreeView octree() { return octree_.view(); }

  private:
    Octree octree_;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets surfels[i] to point i, with area and normal for splats; other points have the area 1
    /// and no normal. `surfels` has an element for each point. Never waits.
    void collect_surfels(Stream& stream, const SceneView& scene, const PointCounts& counts,
                         View<Surfel> surfels);
)
// clang-format on
