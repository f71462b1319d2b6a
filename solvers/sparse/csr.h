// Sparse matrices by compressed rows (CSR): the columns and values of all entries, row by row, and
// the position at which each row starts. The packing of Bolz et al. 2003, with indices instead of a
// texture of pointers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/device/array.h"

namespace tl {

/// A sparse matrix in host memory. Columns ascend within a row, each at most once. Entries may be
/// zero. At most 2^31 - 1 entries.
struct HostCsr {
    int rows = 0, cols = 0;
    std::vector<int> starts{0};  ///< rows + 1 positions in `columns` and `values`
    std::vector<int> columns;
    std::vector<double> values;

    [[nodiscard]] int entries() const { return starts.back(); }
    [[nodiscard]] int row_size(int i) const { return starts[i + 1] - starts[i]; }
};

/// One entry of a matrix.
struct SparseEntry {
    int row = 0, col = 0;
    double value = 0;
};

/// The most entries of a HostCsr.
inline constexpr std::int64_t kMostEntries = INT32_MAX;

/// A matrix with these entries, in any order; entries of one element are summed. Frees `entries`.
/// Throws UserError for more than kMostEntries.
[[nodiscard]] HostCsr csr_of(int rows, int cols, std::vector<SparseEntry>&& entries);
[[nodiscard]] HostCsr transposed(const HostCsr& a);
/// The product A B, whose entries are those that the patterns allow. Runs on all threads. Throws
/// UserError if it has more than kMostEntries, or memory is insufficient.
[[nodiscard]] HostCsr product_of(const HostCsr& a, const HostCsr& b);
/// Whether A is equal to its transpose, in every bit.
[[nodiscard]] bool is_symmetric(const HostCsr& a);
/// The diagonal of a square matrix; 0 for elements that have no entry.
[[nodiscard]] std::vector<double> diagonal_of(const HostCsr& a);
/// The row with the most entries: their number.
[[nodiscard]] int longest_row(const HostCsr& a);
/// Euclidean norm of B - A X, over that of B; that of A X where B is zero. Values of A are rounded
/// to T, and products summed in double. Runs on all threads.
template <class T>
[[nodiscard]] double relative_residual(const HostCsr& a, std::span<const T> x,
                                       std::span<const T> b);

/// A sparse matrix in device memory, passed to kernels by value.
template <class T>
struct CsrView {
    int rows = 0, cols = 0;
    const int* starts = nullptr;
    const int* columns = nullptr;
    const T* values = nullptr;
};

/// Owns a sparse matrix on one device; values are float or double.
template <class T>
class Csr {
  public:
    Csr() = default;
    /// Uploads a matrix, with its values rounded to T.
    Csr(Stream& stream, const HostCsr& host);

    [[nodiscard]] CsrView<T> view() const {
        return {rows_, cols_, starts_.data(), columns_.data(), values_.data()};
    }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] int cols() const { return cols_; }
    [[nodiscard]] std::size_t entries() const { return columns_.size(); }
    [[nodiscard]] std::size_t bytes() const {
        return starts_.bytes() + columns_.bytes() + values_.bytes();
    }

  private:
    int rows_ = 0, cols_ = 0;
    DeviceArray<int> starts_, columns_;
    DeviceArray<T> values_;
};

}  // namespace tl
