// Half a step of the alternating-direction implicit (ADI) scheme: the level along all lines of one
// direction, by tridiagonal systems.
#pragma once

#include "solvers/shallow_water/water_lines.h"

namespace tl {

/// Memory for the systems of segments. Each line is cut into segments of `segment` cells, whose
/// last cells (separators) form a smaller tridiagonal system. Arrays have n_segments numbers for
/// each line; the index of the line is the fastest.
struct SegmentSystems {
    int segment = 0, n_segments = 0;
    double* couple = nullptr;  ///< coupling of a separator to the one before
    double* diagonal = nullptr;
    double* right = nullptr;          ///< right-hand side; then the separators' levels
    double* back_diagonal = nullptr;  ///< addend of a segment to the separator before it
    double* back_right = nullptr;

    static constexpr int kMostCells = 16;  ///< most cells of a segment
    static constexpr int kArrays = 5;
    /// Segments of lines of n cells: at least four, so that a ring of them has neighbours apart.
    [[nodiscard]] static int segment_of(int n) { return n / 4 < kMostCells ? n / 4 : kMostCells; }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // Writes the new level and the new velocities along the lines. By whole lines (CPU only, and
    // not for periodic ones), or by tiles of segments: three launches.
    void adi_half_step(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                       const SegmentSystems& systems, bool by_tiles);
    // For mode plu: the off-diagonal elements (n + 1 for each line; the one of face s is at
    // s + t * (n + 1)) and the right sides (n for each line) of all lines.
    void adi_systems(Stream& stream, const WaterLines& lines, double* faces, double* right);
    // The new velocities from the new level z_new, to which `solution` (n for each line) is copied.
    void adi_from_solution(Stream& stream, const WaterLines& lines, const double* solution,
                           double* z_new, double* w_new);
)
// clang-format on
