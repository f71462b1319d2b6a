// A sparse matrix on one device in the format in which products with it are fastest.
#pragma once

#include <array>
#include <memory>

#include "core/base/enum_names.h"
#include "solvers/sparse/sparse_products.h"

namespace tl {

/// Format of a matrix in products.
enum class SparseFormat {
    automatic,  ///< diagonals where they take less memory, else csr
    csr,        ///< compressed rows
    dia,        ///< diagonals, of square matrices
    cusparse,   ///< compressed rows, multiplied by NVIDIA's library
};
[[nodiscard]] constexpr auto names_of(SparseFormat) {
    return std::to_array<EnumName<SparseFormat>>({{SparseFormat::automatic, "auto"},
                                                  {SparseFormat::csr, "csr"},
                                                  {SparseFormat::dia, "dia"},
                                                  {SparseFormat::cusparse, "cusparse"}});
}

/// A matrix on one device, for products with vectors.
template <class T>
class SparseMatrix {
  public:
    virtual ~SparseMatrix() = default;
    /// y = alpha A x + beta c, in stream order. Sums are in T, in the same order in every run.
    virtual void multiply(Stream& stream, const ProductTerms<T>& terms, View<T> y) const = 0;
    [[nodiscard]] virtual SparseFormat format() const = 0;
    /// Device memory of the matrix.
    [[nodiscard]] virtual std::size_t bytes() const = 0;

    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] int cols() const { return cols_; }

  protected:
    explicit SparseMatrix(const HostCsr& host) : rows_(host.rows), cols_(host.cols) {}

  private:
    int rows_, cols_;
};

/// Uploads a matrix, with its values rounded to T. Throws UserError if it does not fit into memory,
/// or the format is not possible: diagonals of a matrix that is not square or takes far more memory
/// with them, cuSPARSE without a GPU or the library.
template <class T>
[[nodiscard]] std::unique_ptr<SparseMatrix<T>> make_sparse_matrix(
    Stream& stream, const HostCsr& host, SparseFormat format = SparseFormat::automatic);

#if defined(TL_HAS_CUDA)
/// The matrix for products by cuSPARSE, which is opened. Throws UserError if it cannot be.
template <class T>
[[nodiscard]] std::unique_ptr<SparseMatrix<T>> make_cusparse_matrix(Stream& stream,
                                                                    const HostCsr& host);
#endif

}  // namespace tl
