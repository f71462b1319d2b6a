// Column-major matrices on a device: element (i, j) of a view is data[i + j * stride] (the stride
// is BLAS's leading dimension), so a block of a matrix is a view too. Elements are float or double.
#pragma once

#include <cstddef>

#include "core/device/array.h"

namespace tl {

/// A block of a column-major matrix in device memory, passed to kernels by value.
template <class T>
struct MatrixView {
    T* data = nullptr;
    int rows = 0;
    int cols = 0;
    int stride = 1;  ///< elements from one column to the next, at least rows and at least 1

    MatrixView() = default;
    TL_HD MatrixView(T* data, int rows, int cols, int stride)
        : data(data), rows(rows), cols(cols), stride(stride) {}
    /// A read-only view of the same elements.
    template <class U>
    requires std::is_same_v<const U, T> TL_HD MatrixView(const MatrixView<U>& other)
        : data(other.data), rows(other.rows), cols(other.cols), stride(other.stride) {}

    TL_HD T& operator()(int i, int j) const { return data[at(i, j)]; }
    TL_HD T* col(int j) const { return data + at(0, j); }
    /// The block of n_rows x n_cols whose first element is (i, j).
    [[nodiscard]] TL_HD MatrixView block(int i, int j, int n_rows, int n_cols) const {
        return {data + at(i, j), n_rows, n_cols, stride};
    }
    [[nodiscard]] TL_HD MatrixView columns(int first, int count) const {
        return block(0, first, rows, count);
    }
    [[nodiscard]] TL_HD bool empty() const { return rows == 0 || cols == 0; }

  private:
    [[nodiscard]] TL_HD std::size_t at(int i, int j) const {
        return static_cast<std::size_t>(i) +
               static_cast<std::size_t>(j) * static_cast<std::size_t>(stride);
    }
};

/// Owns a column-major matrix on one device; movable, not copyable. Elements are uninitialised.
template <class T>
class Matrix {
  public:
    Matrix() = default;
    Matrix(Stream& stream, int rows, int cols)
        : elements_(stream, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)),
          rows_(rows),
          cols_(cols) {}

    [[nodiscard]] MatrixView<T> view() { return {elements_.data(), rows_, cols_, stride()}; }
    [[nodiscard]] MatrixView<const T> view() const {
        return {elements_.data(), rows_, cols_, stride()};
    }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] int cols() const { return cols_; }
    /// Waits for the stream. The result is column-major without gaps.
    [[nodiscard]] std::vector<T> download(Stream& stream) const {
        return elements_.download(stream);
    }
    void upload(Stream& stream, std::span<const T> host) { elements_.assign(stream, host); }
    void fill_zero(Stream& stream) { elements_.fill_zero(stream); }

  private:
    [[nodiscard]] int stride() const { return rows_ > 0 ? rows_ : 1; }
    DeviceArray<T> elements_;
    int rows_ = 0;
    int cols_ = 0;
};

/// A column-major matrix in host memory, without gaps.
template <class T>
struct HostMatrix {
    int rows = 0;
    int cols = 0;
    std::vector<T> data;

    HostMatrix() = default;
    HostMatrix(int rows, int cols)
        : rows(rows), cols(cols), data(static_cast<std::size_t>(rows) * cols) {}
    T& operator()(int i, int j) { return data[i + static_cast<std::size_t>(j) * rows]; }
    const T& operator()(int i, int j) const { return data[i + static_cast<std::size_t>(j) * rows]; }
};

}  // namespace tl
