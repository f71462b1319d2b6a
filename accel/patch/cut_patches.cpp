#include "accel/patch/cut_patches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tl {
namespace {

/// Finite differences in a net of control points.
struct Differences {
    float length_u = 0, length_v = 0;             ///< mean steps
    float bend_uu = 0, bend_vv = 0, bend_uv = 0;  ///< largest second differences

    explicit Differences(const vec3* p) {
        auto at = [&](int i, int j) { return p[4 * i + j]; };
        auto grow = [](float& most, vec3 d) { most = std::max(most, glm::length(d)); };
        for (int k = 0; k < 4; ++k)
            for (int m = 0; m < 3; ++m) {
                length_u += glm::length(at(m + 1, k) - at(m, k)) / 12;
                length_v += glm::length(at(k, m + 1) - at(k, m)) / 12;
            }
        for (int k = 0; k < 4; ++k)
            for (int m = 0; m < 2; ++m) {
                grow(bend_uu, at(m + 2, k) - 2.0f * at(m + 1, k) + at(m, k));
                grow(bend_vv, at(k, m + 2) - 2.0f * at(k, m + 1) + at(k, m));
            }
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                grow(bend_uv, at(i + 1, j + 1) - at(i + 1, j) - at(i, j + 1) + at(i, j));
    }
};

int count_side(float bend, float length, float flat) {
    int count = 1;
    while (count < kMostPiecesOfSide && bend > flat * length * static_cast<float>(count))
        count *= 2;
    return count;
}

/// Whether sums of a patch's coordinates are finite.
bool is_summable(const vec3* points) {
    constexpr float kMost = std::numeric_limits<float>::max() / (3 * PatchPoints::kCount);
    for (int k = 0; k < PatchPoints::kCount; ++k)
        for (int axis = 0; axis < 3; ++axis)
            if (!(std::abs(points[k][axis]) < kMost)) return false;
    return true;
}

/// Numbers of pieces along the sides of a patch; powers of two.
struct PieceCounts {
    int along_u = 1, along_v = 1;
};

PieceCounts piece_counts(const vec3* points, float flat) {
    if (!is_summable(points)) return {};
    Differences d(points);
    // A derivative changes by twice the second difference along its own parameter, and by the mixed
    // difference along the other.
    return {
        count_side(std::max(2 * d.bend_uu, d.bend_uv * d.length_u / std::max(d.length_v, 1e-30f)),
                   d.length_u, flat),
        count_side(std::max(2 * d.bend_vv, d.bend_uv * d.length_v / std::max(d.length_u, 1e-30f)),
                   d.length_v, flat)};
}

}  // namespace

std::size_t count_pieces(std::span<const vec3> points, float flat) {
    std::size_t n_pieces = 0;
    for (std::size_t k = 0; k < points.size(); k += PatchPoints::kCount) {
        const PieceCounts n = piece_counts(&points[k], flat);
        n_pieces += static_cast<std::size_t>(n.along_u * n.along_v);
    }
    return n_pieces;
}

std::vector<PatchPiece> cut_patches(std::span<const vec3> points, float flat) {
    std::vector<PatchPiece> pieces;
    for (std::uint32_t patch = 0; patch < points.size() / PatchPoints::kCount; ++patch) {
        const PieceCounts n = piece_counts(&points[std::size_t{16} * patch], flat);
        const float size_u = 1 / static_cast<float>(n.along_u),
                    size_v = 1 / static_cast<float>(n.along_v);
        for (int i = 0; i < n.along_u; ++i)
            for (int j = 0; j < n.along_v; ++j)
                pieces.push_back({patch, static_cast<float>(i) * size_u,
                                  static_cast<float>(j) * size_v, size_u, size_v, 0, 1, 0});
    }
    return pieces;
}

}  // namespace tl
