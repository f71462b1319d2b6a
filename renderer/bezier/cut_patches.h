// Into how many pieces patches are cut for the leaves of a tree.
#pragma once

#include <vector>

#include "accel/patch/patches.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Pieces of one side of a patch, at most.
inline constexpr int kMostPiecesOfSide = 16;
/// Bending of a piece, as a part of its size, up to which it counts as flat: rays that do not graze
/// it are then decided without cutting it further.
inline constexpr float kFlatPiece = 0.25f;

/// Powers of two.
struct PieceCounts {
    int along_u = 1, along_v = 1;
};

/// The least counts whose pieces are flat, of the 16 control points of a patch.
[[nodiscard]] PieceCounts count_pieces(const vec3* points);

/// The pieces of all patches of the scene, patch after patch. Their reach is not known yet.
[[nodiscard]] std::vector<PatchPiece> cut_patches(const Scene& scene);

}  // namespace tl
