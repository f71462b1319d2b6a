// Bezier patches of a scene on a device: control points, which may move, and the pieces that the
// tree is built over, which are recomputed when points have moved.
#pragma once

#include "accel/patch/patch_pieces.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LivePatches {
  public:
    LivePatches() = default;
    LivePatches(Stream& stream, const Scene& scene);

    /// The number of pieces into which a device of this kind cuts a scene's patches.
    [[nodiscard]] static std::size_t count_pieces(const Scene& scene, DeviceKind kind);
    /// Approximate bytes of device memory of a scene's patches cut into `n_pieces` pieces, without
    /// the tree.
    [[nodiscard]] static std::size_t bytes_for(const Scene& scene, std::size_t n_pieces);

    [[nodiscard]] bool empty() const { return pieces_.empty(); }
    /// The number of pieces, each a primitive of the tree.
    [[nodiscard]] std::size_t size() const { return pieces_.size(); }
    /// Computes control points, pieces and boxes for a phase of the scene's duration. Never waits.
    void update(Stream& stream, double phase, float duration);
    /// Adds the patches to `view`, whose triangles, spheres and splats must be set.
    void show(SceneView& view) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    Animator animator_;
    bool are_made_ = false;
    DeviceArray<vec3> positions_;  ///< control points, 16 a patch
    DeviceArray<vec3> normals_;    ///< unused output of the animator: points have no normals
    DeviceArray<std::int32_t> materials_;
    DeviceArray<vec2> corner_uvs_;
    PatchPieces pieces_;
};

}  // namespace tl
