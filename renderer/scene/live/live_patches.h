// The patches of a scene on a device, with what moves in them: control points, and the pieces that
// the tree is built over, made anew when points have moved.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LivePatches {
  public:
    LivePatches() = default;
    LivePatches(Stream& stream, const Scene& scene);

    /// About the device memory that a scene's patches take, cut into so many pieces; without what a
    /// tree takes of any primitive.
    [[nodiscard]] static std::size_t bytes_for(const Scene& scene, std::size_t n_pieces);

    [[nodiscard]] bool empty() const { return pieces_.empty(); }
    /// Pieces, of which each is a primitive of the tree.
    [[nodiscard]] std::size_t size() const { return pieces_.size(); }
    /// Control points, pieces and their boxes at a phase of the scene's duration. Never waits.
    void update(Stream& stream, double phase, float duration);
    /// `view.n_triangles` and `view.n_spheres` are set.
    void show(SceneView& view) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    Animator animator_;
    bool are_made_ = false;
    DeviceArray<vec3> positions_;  ///< of control points, 16 a patch
    DeviceArray<vec3> normals_;    ///< none has one: what the animator writes
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

/// What the kernel that makes pieces reads and writes. Weights are empty where no patch is
/// rational.
struct PatchUpdate {
    View<const vec3> positions;
    View<const float> control_weights;
    View<PatchPoints> points;
    View<PatchWeights> weights;
    View<PatchPiece> pieces;
    View<PatchPoints> piece_points;
    View<PatchWeights> piece_weights;
    View<PieceFrame> frames;  ///< empty, and so are nets, where a patch is rational
    View<PieceNet> nets;
    View<Box> boxes;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// points[patch] of 16 positions, multiplied by their weights.
    void gather_patch_points(Stream& stream, const PatchUpdate& update);
    /// piece_points, piece_weights, frames, nets and boxes of every piece.
    void make_pieces(Stream& stream, const PatchUpdate& update);
)
// clang-format on
