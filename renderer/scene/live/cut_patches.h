// Into how many pieces patches are cut for the leaves of a tree.
#pragma once

#include <cstddef>
#include <vector>

#include "accel/parallel/device.h"
#include "accel/patch/patches.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Pieces of one side of a patch, at most.
inline constexpr int kMostPiecesOfSide = 32;

/// Bending of a piece, as a part of its size, up to which it counts as flat: rays that do not graze
/// it are then decided without cutting it further. Few rays that are cut further hold up a GPU,
/// which makes pieces faster than a CPU can where patches move. Measured at 1/8 and 1/4 on both.
[[nodiscard]] constexpr float flat_piece_of(DeviceKind kind) {
    return kind == DeviceKind::cuda ? 0.125f : 0.25f;
}

/// Powers of two.
struct PieceCounts {
    int along_u = 1, along_v = 1;
};

/// The least counts whose pieces bend by `flat` at most, of the 16 control points of a patch.
[[nodiscard]] PieceCounts count_pieces(const vec3* points, float flat);

/// How many pieces cut_patches() makes.
[[nodiscard]] std::size_t count_pieces(const Scene& scene, float flat);

/// The pieces of all patches of the scene, patch after patch. Their reach is not known yet.
[[nodiscard]] std::vector<PatchPiece> cut_patches(const Scene& scene, float flat);

}  // namespace tl
