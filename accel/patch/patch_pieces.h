// Bezier patches on a device: control points, which may move, and the pieces that a tree is built
// over, which are computed again when points have moved.
#pragma once

#include <span>

#include "accel/box.h"
#include "accel/patch/patches.h"
#include "core/device/array.h"

namespace tl {

/// Owns patches and their pieces.
class PatchPieces {
  public:
    PatchPieces() = default;
    /// Cuts patches of 16 control points each. `weights`: one for each control point, or empty if
    /// no patch is rational.
    PatchPieces(Stream& stream, std::span<const vec3> points, std::span<const float> weights);

    [[nodiscard]] bool empty() const { return pieces_.empty(); }
    /// The number of pieces, each a primitive of the tree.
    [[nodiscard]] std::size_t size() const { return pieces_.size(); }
    /// Computes pieces and boxes for control points in device memory; the cuts stay where they
    /// are. Never waits.
    void update(Stream& stream, View<const vec3> positions);
    /// The pieces of the last update.
    [[nodiscard]] PatchesView view() const;
    [[nodiscard]] View<const Box> boxes() const { return boxes_.view(); }
    [[nodiscard]] std::size_t bytes() const;
    /// Approximate bytes of device memory.
    [[nodiscard]] static std::size_t bytes_for(std::size_t n_patches, std::size_t n_pieces);

  private:
    DeviceArray<float> control_weights_;
    DeviceArray<PatchPoints> points_, piece_points_;
    DeviceArray<PatchWeights> weights_, piece_weights_;
    DeviceArray<PatchPiece> pieces_;
    DeviceArray<PieceFrame> frames_;
    DeviceArray<PieceNet> nets_;
    DeviceArray<Box> boxes_;
};

/// Input and output of the kernels that make pieces. Weights are empty where no patch is rational.
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
