// Cuts patches into pieces for the leaves of a tree.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "accel/patch/patches.h"
#include "core/device/device.h"

namespace tl {

/// Most pieces along one side of a patch.
inline constexpr int kMostPiecesOfSide = 32;

/// Bending limit of flat pieces, as a fraction of a piece's size. Rays that do not graze a flat
/// piece are decided without subdivision. On a GPU, few subdividing rays delay all others, and
/// pieces of moving patches are made faster than on a CPU. Measured at 1/8 and 1/4 on both.
[[nodiscard]] constexpr float flat_piece_of(DeviceKind kind) {
    return kind == DeviceKind::cuda ? 0.125f : 0.25f;
}

/// The number of pieces that cut_patches() makes.
[[nodiscard]] std::size_t count_pieces(std::span<const vec3> points, float flat);

/// The pieces of patches of 16 control points each, patch after patch: the fewest that bend by at
/// most `flat`, by powers of two along each side. A patch with coordinates that are not finite, or
/// too large to compute with, is one piece. PatchPiece::reach is not yet computed.
[[nodiscard]] std::vector<PatchPiece> cut_patches(std::span<const vec3> points, float flat);

}  // namespace tl
