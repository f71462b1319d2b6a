// Bicubic Bezier patches in the form that kernels use: control points, and the pieces into which
// patches are cut for the leaves of a tree.
#pragma once

#include <cstdint>

#include "core/base/math.h"

namespace tl {

/// Control points of a patch or a piece, one array per coordinate: element 4 i + j belongs to
/// B_i(u) B_j(v). For a rational patch each point is multiplied by its weight.
struct alignas(16) PatchPoints {
    static constexpr int kCount = 16;
    float of_axis[3][kCount];
};
static_assert(sizeof(PatchPoints) == 192);

/// Weights of a rational patch's control points, all above 0.
struct alignas(16) PatchWeights {
    float at[PatchPoints::kCount];
};
static_assert(sizeof(PatchWeights) == 64);

/// The part [u0, u0 + size_u] x [v0, v0 + size_v] of a patch, the primitive in a leaf. All four are
/// integer multiples of a power of two, so that neighbouring pieces join exactly.
struct alignas(16) PatchPiece {
    std::uint32_t patch;
    float u0, v0;
    float size_u, size_v;
    float reach;     ///< largest magnitude in the piece's PatchPoints
    float heaviest;  ///< largest of the piece's weights; 1 if not rational
    std::uint32_t unused;
};
static_assert(sizeof(PatchPiece) == 32);

/// Coordinates in which a piece is nearly the square |x|, |y| <= 1/2 of the plane z = 0: x and y
/// run along its mean derivatives; z runs across them and has about the same length.
struct alignas(16) PieceFrame {
    vec3 center;
    float error;   ///< error of frame coordinates, per largest distance of a point
    vec3 x;        ///< its dot product with (point - center) gives the coordinate
    float half_x;  ///< the piece lies within +-half_x
    vec3 y;
    float half_y;
    vec3 z;
    float half_z;
};
static_assert(sizeof(PieceFrame) == 64);

/// A piece in its frame's coordinates, and the largest deviations of its derivatives from those of
/// the square: for each axis, by u and by v.
struct alignas(16) PieceNet {
    PatchPoints points;
    float bend[3][2];
    float unused[2];
};
static_assert(sizeof(PieceNet) == 224);

/// The patches of a scene and their pieces. A tree's primitive that is a patch has the piece's
/// index as `id`; a hit has the patch's index, offset by `first_primitive`.
struct PatchesView {
    const PatchPoints* points = nullptr;
    const PatchWeights* weights = nullptr;  ///< null if no patch is rational
    const PatchPiece* pieces = nullptr;
    const PatchPoints* piece_points = nullptr;
    const PatchWeights* piece_weights = nullptr;  ///< likewise
    const PieceFrame* frames = nullptr;           ///< one per piece; null if any patch is rational
    const PieceNet* nets = nullptr;               ///< likewise
    std::uint32_t first_primitive = 0;

    [[nodiscard]] TL_HD bool empty() const { return points == nullptr; }
};

/// Start point of a ray, in 8 bytes: a point on a patch. For other surfaces it holds the clearance
/// above the surface at which rays start where discs overlap.
struct PatchPosition {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    std::uint32_t patch = kNone;
    /// Two 16-bit fixed-point numbers, u in the lower half; without a patch the bits of a length.
    std::uint32_t uv = 0;

    PatchPosition() = default;
    TL_HD PatchPosition(std::uint32_t patch, float u, float v)
        : patch(patch), uv(bits(u) | bits(v) << 16) {}
    /// A start point that is on no patch, whose rays start `clearance` (m) above it.
    [[nodiscard]] TL_HD static PatchPosition off_patches(float clearance) {
        PatchPosition start;
        start.uv = bits_of_float(clearance);
        return start;
    }
    [[nodiscard]] TL_HD float clearance() const { return exists() ? 0 : float_of_bits(uv); }
    [[nodiscard]] TL_HD bool exists() const { return patch != kNone; }
    [[nodiscard]] TL_HD float u() const { return static_cast<float>(uv & 0xffffu) / kScale; }
    [[nodiscard]] TL_HD float v() const { return static_cast<float>(uv >> 16) / kScale; }

  private:
    static constexpr float kScale = 65535;
    TL_HD static std::uint32_t bits(float t) {
        return static_cast<std::uint32_t>(kScale * minimum(maximum(t, 0.0f), 1.0f) + 0.5f);
    }
};
static_assert(sizeof(PatchPosition) == 8);

}  // namespace tl
