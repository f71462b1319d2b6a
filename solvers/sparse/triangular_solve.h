// Sparse triangular systems on one device by level scheduling (Anderson & Saad 1989): rows of a
// level depend on rows of earlier levels alone, so they are solved at the same time. Levels of many
// rows are one launch each; successive levels of few rows are one launch of one block. On the CPU,
// triangles most of whose levels have few rows are solved by one thread in the order of rows, which
// is kinder to caches.
#pragma once

#include "solvers/sparse/csr.h"

namespace tl {

/// Levels [first, end) that are solved by one launch.
struct LevelRun {
    int first = 0, end = 0;
    bool wide = false;  ///< one level of many rows
};

/// A triangular matrix on one device, passed to kernels by value. Rows are in the order of levels.
template <class T>
struct TriangleView {
    const int* rows = nullptr;          ///< the row at each position
    const int* level_starts = nullptr;  ///< the first position of each level, and their end
    const int* starts = nullptr;        ///< entries beside the diagonal, by position
    const int* columns = nullptr;
    const T* values = nullptr;
    const T* inverse_diagonal = nullptr;  ///< by row; null for ones
};

/// Entries of a matrix that form a triangle.
enum class TriangleKind {
    unit_lower,  ///< those below the diagonal, and ones on it
    upper,       ///< those above it, and the diagonal, which has no zeros
};

/// Owns a triangular matrix on one device.
template <class T>
class SparseTriangle {
  public:
    /// Takes the triangle of a square matrix with a full diagonal.
    SparseTriangle(Stream& stream, const HostCsr& a, TriangleKind kind);

    /// Solves with the triangle in stream order: x = b at first.
    void solve(Stream& stream, View<T> x) const;
    [[nodiscard]] int levels() const { return n_levels_; }
    [[nodiscard]] std::size_t bytes() const;

  private:
    [[nodiscard]] TriangleView<T> view() const;

    void upload_rows(Stream& stream, const HostCsr& a, TriangleKind kind,
                     const std::vector<int>& rows);

    DeviceArray<int> rows_, level_starts_, starts_, columns_;
    DeviceArray<T> values_, inverse_;
    std::vector<LevelRun> runs_;
    std::vector<int> host_level_starts_;
    int n_levels_ = 0;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // One level of `n_rows` rows, from position `first`.
    template <class T>
    void solve_level(Stream& stream, const TriangleView<T>& triangle, int first, int n_rows,
                     View<T> x);
    // Levels one after the other, by one block.
    template <class T>
    void solve_levels(Stream& stream, const TriangleView<T>& triangle, LevelRun levels, View<T> x);
)
// clang-format on
