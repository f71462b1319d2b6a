// Products of matrices on the CPU by packed blocks (Goto & van de Geijn 2008): strips of A and B
// are copied so that the innermost loop reads both in order, and keeps a tile of C in registers.
// The order of every sum depends on the matrices' sizes alone, never on the number of threads.
#pragma once

#include <memory>

#include "solvers/dense/blas.h"

namespace tl {

/// The tile of C that registers hold, 12 registers of 32 bytes, and the columns of A (rows of B)
/// that one pass takes: a strip of B then stays in the first-level cache. Processors with AVX-512
/// take three tiles at once in 18 registers of 64 bytes, with the same bits.
template <class T>
struct ProductTile {
    static constexpr int kLanes = 32 / static_cast<int>(sizeof(T));
    static constexpr int kRows = 2 * kLanes, kCols = 6;
    static constexpr int kDepth = 256;
    /// Rows of A: half of a second-level cache of 1 MB.
    static constexpr int kRowsAtOnce = 24 * kRows;
};

/// A copy of op(A), depth <= kDepth, in strips of kWidth rows; or of op(B) in strips of columns.
/// Strips are padded with zeros. The memory is kept for the next pack().
template <class T, int kWidth>
class PackedStrips {
  public:
    /// Allocates memory for `extent` rows or columns; pack() then fills them strip by strip.
    void resize(int extent, int depth);
    /// Packs those of [first, end) from elements at data[i * along + k * across]; `first` is a
    /// multiple of kWidth. Several threads may pack parts.
    void pack(const T* data, std::size_t along, std::size_t across, int first, int end);
    [[nodiscard]] const T* strip(int first) const {
        return data_.get() + static_cast<std::size_t>(first) * static_cast<std::size_t>(depth_);
    }
    [[nodiscard]] int extent() const { return extent_; }
    [[nodiscard]] int depth() const { return depth_; }

  private:
    struct Free {
        void operator()(T* memory) const { ::operator delete[](memory, std::align_val_t(64)); }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t capacity_ = 0;
    int extent_ = 0, depth_ = 0;
};
template <class T>
using PackedLeft = PackedStrips<T, ProductTile<T>::kRows>;
template <class T>
using PackedRight = PackedStrips<T, ProductTile<T>::kCols>;

/// C = alpha A B + beta C for all rows and columns of C. They begin at row `row` of A and column
/// `col` of B, both multiples of the tile's size. C is not read where beta is 0.
template <class T>
void multiply_packed(T alpha, const PackedLeft<T>& a, int row, const PackedRight<T>& b, int col,
                     T beta, MatrixView<T> c);

/// C = alpha op(A) op(B) + beta C in the calling thread.
template <class T>
void multiply_here(Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
                   MatrixView<const T> b, T beta, MatrixView<T> c);
/// C = alpha op(A) op(B) + beta C by all threads.
template <class T>
void multiply_on_cpu(Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
                     MatrixView<const T> b, T beta, MatrixView<T> c);

}  // namespace tl
