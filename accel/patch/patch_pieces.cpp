#include "accel/patch/patch_pieces.h"

#include "accel/patch/cut_patches.h"

namespace tl {

PatchPieces::PatchPieces(Stream& stream, std::span<const vec3> points,
                         std::span<const float> weights) {
    const auto pieces = cut_patches(points, flat_piece_of(stream.device().kind()));
    const std::size_t n_patches = points.size() / PatchPoints::kCount;
    control_weights_.assign(stream, weights);
    points_.resize_discard(stream, n_patches);
    pieces_.assign(stream, pieces);
    piece_points_.resize_discard(stream, pieces.size());
    if (weights.empty()) {
        frames_.resize_discard(stream, pieces.size());
        nets_.resize_discard(stream, pieces.size());
    } else {
        weights_.resize_discard(stream, n_patches);
        piece_weights_.resize_discard(stream, pieces.size());
    }
    boxes_.resize_discard(stream, pieces.size());
}

void PatchPieces::update(Stream& stream, View<const vec3> positions) {
    const PatchUpdate update{positions,
                             control_weights_.view(),
                             points_.view(),
                             weights_.view(),
                             pieces_.view(),
                             piece_points_.view(),
                             piece_weights_.view(),
                             frames_.view(),
                             nets_.view(),
                             boxes_.view()};
    TL_DISPATCH(stream.device(), gather_patch_points(stream, update));
    TL_DISPATCH(stream.device(), make_pieces(stream, update));
}

PatchesView PatchPieces::view() const {
    PatchesView patches;
    patches.points = points_.data();
    patches.weights = weights_.data();
    patches.pieces = pieces_.data();
    patches.piece_points = piece_points_.data();
    patches.piece_weights = piece_weights_.data();
    patches.frames = frames_.data();
    patches.nets = nets_.data();
    return patches;
}

std::size_t PatchPieces::bytes() const {
    return control_weights_.bytes() + points_.bytes() + piece_points_.bytes() + weights_.bytes() +
           piece_weights_.bytes() + frames_.bytes() + nets_.bytes() + pieces_.bytes() +
           boxes_.bytes();
}

std::size_t PatchPieces::bytes_for(std::size_t n_patches, std::size_t n_pieces) {
    constexpr std::size_t kPatch = sizeof(PatchPoints) + 2 * sizeof(PatchWeights);
    constexpr std::size_t kPiece = sizeof(PatchPiece) + sizeof(PatchPoints) + sizeof(PieceFrame) +
                                   sizeof(PieceNet) + sizeof(Box);
    return n_patches * kPatch + n_pieces * kPiece;
}

}  // namespace tl
