// Half a step of the alternating-direction scheme whose tridiagonal systems are solved as dense
// matrices, by PLU factorisation, as Brodtkorb 2007 does in chapter 5.
#pragma once

#include <vector>

#include "solvers/dense/linear/solve_each.h"
#include "solvers/shallow_water/water_lines.h"

namespace tl {

class PluShare;

inline constexpr int kMostPluCells = kMostRowsOfEach;  ///< most cells of a row or a column

/// Bytes of memory for the systems that a device of a kind solves at once, as matrices of doubles.
/// Devices that share them may have those of all lines at once.
[[nodiscard]] std::size_t plu_bytes(int nx, int ny, DeviceKind kind);

/// The systems of all lines, in host memory. System t has the elements faces[t (n + 1) + i] between
/// cells i - 1 and i, and the right sides right[t n + i]; its solution goes to levels[t n + i].
struct PluSystems {
    int n = 0, m = 0;   ///< cells of a line; lines
    bool ring = false;  ///< the last cell is beside the first
    std::vector<double> faces, right, levels;

    /// Writes the diagonals of `count` matrices from line `first` on, n numbers each.
    template <class T>
    void write_diagonals(int first, int count, T* to) const;
    /// Writes the elements beside these diagonals, as tridiagonal_matrices() takes them.
    template <class T>
    void write_beside(int first, int count, T* to) const;
    /// Writes the right sides.
    template <class T>
    void write_sides(int first, int count, T* to) const;
    /// Receives their solutions.
    template <class T>
    void set_levels(int first, int count, const T* from);
};

/// Solves all systems on the stream's device, and waits. `single`: in floats instead of doubles.
void solve_densely(Stream& stream, PluSystems& systems, bool single);

/// Like adi_half_step, for lines of up to kMostPluCells. Waits for the stream.
/// `single`: factorises floats. `share`: solves the systems on the queues of several devices; null
/// for the stream's device alone.
void plu_half_step(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                   bool single, PluShare* share);

}  // namespace tl
