#include "solvers/sparse/sparse_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/base/host_memory.h"
#include "core/device/registry.h"

namespace tl {
namespace {

/// Couplings of a grid point to its neighbours below and above along one axis.
struct AxisStencil {
    double below = 0, above = 0;
};

/// Finite differences on a grid of side^dimensions points in the unit cube, with zeros beyond its
/// borders. The diagonal is minus the sum of all couplings, those beyond borders included.
HostCsr grid_matrix(int side, int dimensions, const std::array<AxisStencil, 3>& axes) {
    HostCsr a;
    int n = dimensions == 2 ? side * side : side * side * side;
    a.rows = a.cols = n;
    a.starts.reserve(static_cast<std::size_t>(n) + 1);
    a.columns.reserve(static_cast<std::size_t>(n) * (2 * dimensions + 1));
    a.values.reserve(a.columns.capacity());
    double diagonal = 0;
    for (auto& axis : axes) diagonal -= axis.below + axis.above;
    std::array<int, 3> step{1, side, side * side};
    auto add = [&](int column, double value) {
        a.columns.push_back(column);
        a.values.push_back(value);
    };
    for (int i = 0; i < n; ++i) {
        for (int axis = dimensions - 1; axis >= 0; --axis)
            if (i / step[axis] % side > 0) add(i - step[axis], axes[axis].below);
        add(i, diagonal);
        for (int axis = 0; axis < dimensions; ++axis)
            if (i / step[axis] % side + 1 < side) add(i + step[axis], axes[axis].above);
        a.starts.push_back(static_cast<int>(a.columns.size()));
    }
    return a;
}

int side_of(int rows, double power) {
    return std::max(1, static_cast<int>(std::lround(std::pow(rows, power))));
}

HostCsr poisson_2d(int rows, std::uint64_t) {
    return grid_matrix(side_of(rows, 1.0 / 2), 2, {{{-1, -1}, {-1, -1}, {}}});
}
HostCsr poisson_3d(int rows, std::uint64_t) {
    return grid_matrix(side_of(rows, 1.0 / 3), 3, {{{-1, -1}, {-1, -1}, {-1, -1}}});
}
HostCsr anisotropic(int rows, std::uint64_t) {
    return grid_matrix(side_of(rows, 1.0 / 2), 2, {{{-1, -1}, {-0.01, -0.01}, {}}});
}
/// Upwind differences of -u'' + 32 (2, 1) . grad u, times the square of the grid's spacing.
HostCsr convection(int rows, std::uint64_t) {
    int side = side_of(rows, 1.0 / 2);
    double h = 1.0 / (side + 1);
    return grid_matrix(side, 2, {{{-1 - 64 * h, -1}, {-1 - 32 * h, -1}, {}}});
}

/// Adds diagonal entries that exceed the sum of the magnitudes of their row and column by `excess`,
/// so that the matrix is diagonally dominant, and definite where it is symmetric.
void dominate(int rows, double excess, std::vector<SparseEntry>& entries) {
    std::vector<double> row_sums(static_cast<std::size_t>(rows)), column_sums(row_sums);
    for (auto& entry : entries) {
        row_sums[entry.row] += std::abs(entry.value);
        column_sums[entry.col] += std::abs(entry.value);
    }
    for (int i = 0; i < rows; ++i)
        entries.push_back({i, i, std::max(row_sums[i], column_sums[i]) + excess});
}

HostCsr random_spd(int rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<SparseEntry> entries;
    constexpr int kNeighbours = 4;
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < kNeighbours; ++k) {
            auto j = static_cast<int>(random() % static_cast<std::uint64_t>(rows));
            double value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
            if (j == i) continue;
            entries.push_back({i, j, value});
            entries.push_back({j, i, value});
        }
    dominate(rows, 0.01, entries);
    return csr_of(rows, rows, std::move(entries));
}

/// Row i has about 8 + rows / (4 (i + 1)) entries: few rows are very long, most are short.
HostCsr power_law(int rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<SparseEntry> entries;
    for (int i = 0; i < rows; ++i) {
        int size = std::min(rows - 1, 8 + rows / (4 * (i + 1)));
        for (int k = 0; k < size; ++k) {
            auto j = static_cast<int>(random() % static_cast<std::uint64_t>(rows));
            double value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
            if (j != i) entries.push_back({i, j, value});
        }
    }
    dominate(rows, 0.1, entries);
    return csr_of(rows, rows, std::move(entries));
}

/// A symmetric band of 8 diagonals on each side.
HostCsr banded(int rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<SparseEntry> entries;
    constexpr int kHalfWidth = 8;
    for (int i = 0; i < rows; ++i)
        for (int j = i + 1; j <= std::min(i + kHalfWidth, rows - 1); ++j) {
            double value = static_cast<double>(random() >> 11) * 0x1p-53 - 1;
            entries.push_back({i, j, value});
            entries.push_back({j, i, value});
        }
    dominate(rows, 0.001, entries);
    return csr_of(rows, rows, std::move(entries));
}

}  // namespace

const std::vector<SparseKind>& sparse_kinds() {
    static const std::vector<SparseKind> table{
        {"poisson2d", "five points of a square grid", true, &poisson_2d},
        {"poisson3d", "seven points of a cubic grid", true, &poisson_3d},
        {"anisotropic", "five points, couplings of 1 and 0.01", true, &anisotropic},
        {"convection", "five points with flow, upwind", false, &convection},
        {"random-spd", "9 random entries a row, definite", true, &random_spd},
        {"power-law", "few very long rows among short ones", false, &power_law},
        {"banded", "17 diagonals, definite", true, &banded},
    };
    return table;
}

HostCsr make_csr(const SparseSpec& spec) {
    auto& kind = find_row(sparse_kinds(), spec.kind, "sparse matrix kind");
    if (spec.rows < 1) throw UsageError("a matrix needs at least one row");
    constexpr int kMostInRow = 18;
    if (spec.rows > kMostEntries / kMostInRow)
        throw UserError("a sparse matrix of " + std::to_string(spec.rows) +
                        " rows is too large: at most " + std::to_string(kMostEntries / kMostInRow) +
                        " are made");
    constexpr std::uint64_t kBytes = sizeof(SparseEntry) + sizeof(int) + sizeof(double);
    require_host_memory(static_cast<std::uint64_t>(spec.rows) * kMostInRow * kBytes,
                        "a sparse matrix of " + std::to_string(spec.rows) + " rows",
                        "ask for fewer rows");
    return kind.make(spec.rows, spec.seed);
}

}  // namespace tl
