// Cuts patches into pieces for the leaves of a tree.
#pragma once

#include <cstddef>
#include <vector>

#include "accel/patch/patches.h"
#include "core/device/device.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Most pieces along one side of a patch.
inline constexpr int kMostPiecesOfSide = 32;

/// Bending limit of flat pieces, as a fraction of a piece's size. Rays that do not graze a flat
/// piece are decided without subdivision. On a GPU, few subdividing rays delay all others, and
/// pieces of moving patches are made faster than on a CPU. Measured at 1/8 and 1/4 on both.
[[nodiscard]] constexpr float flat_piece_of(DeviceKind kind) {
    return kind == DeviceKind::cuda ? 0.125f : 0.25f;
}

/// Numbers of pieces along the sides of a patch; powers of two.
struct PieceCounts {
    int along_u = 1, along_v = 1;
};

/// The least counts whose pieces bend by at most `flat`, for a patch of 16 control points.
[[nodiscard]] PieceCounts count_pieces(const vec3* points, float flat);

/// The number of pieces that cut_patches() makes.
[[nodiscard]] std::size_t count_pieces(const Scene& scene, float flat);

/// The pieces of all patches of the scene, patch after patch. PatchPiece::reach is not yet
/// computed.
[[nodiscard]] std::vector<PatchPiece> cut_patches(const Scene& scene, float flat);

}  // namespace tl
