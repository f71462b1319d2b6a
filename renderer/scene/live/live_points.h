// A scene's points where they are at a moment: the middles of spheres and splats, and vertices.
#pragma once

#include "accel/octree/octree_builder.h"
#include "renderer/scene/live/live_scene.h"

namespace tl {

/// The points of a scene, which are numbered in this order.
struct PointCounts {
    std::uint32_t spheres = 0, splats = 0, vertices = 0;

    [[nodiscard]] std::uint32_t all() const { return spheres + splats + vertices; }
};
/// Vertices are those of meshes that are not seen through instances alone.
[[nodiscard]] PointCounts count_points(const Scene& scene);

/// An octree over a scene's points.
class LivePoints {
  public:
    /// Builds it over the points as they are. Waits; throws UserError where memory is short.
    void build(Scratch& scratch, const LiveScene& scene);
    [[nodiscard]] OctreeView octree() { return octree_.view(); }

  private:
    Octree octree_;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets surfels[i] to point i, with the area and the normal of splats; other points have the
    /// area 1 and no normal. `surfels` has room for all. Never waits.
    void collect_surfels(Stream& stream, const SceneView& scene, const PointCounts& counts,
                         View<Surfel> surfels);
)
// clang-format on
