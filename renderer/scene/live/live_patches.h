// Bezier patches of a scene on a device: control points, which may move, and the pieces that the
// tree is built over, which are recomputed when points have moved.
#pragma once

#include "core/device/array.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LivePatches {
  public:
    LivePatches() = default;
    LivePatches(Stream& stream, const Scene& scene);

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
    DeviceArray<float> control_weights_;
    DeviceArray<std::int32_t> materials_;
    DeviceArray<vec2> corner_uvs_;
    DeviceArray<PatchPoints> points_, piece_points_;
    DeviceArray<PatchWeights> weights_, piece_weights_;
    DeviceArray<PatchPiece> pieces_;
    DeviceArray<PieceFrame> frames_;
    DeviceArray<PieceNet> nets_;
    DeviceArray<Box> boxes_;
};

/// Input and output of the kernel that makes pieces. Weights are empty where no patch is rational.
struct PatchUpdate {
    View<const vec3> positions;
    View<const float> control_weights;
    View<PatchPoints> points;
    View<PatchWeights> weights;
    View<PatchPiece> pieces;
    View<PatchPoints> piece_points;
    View<PatchWeights> piece_weights;
    View<PieceFrame> frames;  ///< empty where a patch is rational, as are nets
    View<PieceNet> nets;
    View<Box> boxes;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Computes points[patch] from 16 positions, multiplied by their weights.
    void gather_patch_points(Stream& stream, const PatchUpdate& update);
    /// Computes piece_points, piece_weights, frames, nets and boxes of every piece.
    void make_pieces(Stream& stream, const PatchUpdate& update);
)
// clang-format on
