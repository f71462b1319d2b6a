// Products y = alpha A x + beta c of sparse matrices with vectors, on one device, by rows or by
// diagonals.
//
// By rows, the matrix is cut into chunks of about equal numbers of entries, after Greathouse & Daga
// 2014 (CSR-Adaptive). A chunk holds several short rows, or a part of a long one. A block stages
// the products of its chunk in shared memory and sums each row with as many threads as fit. So one
// very long row is shared by many blocks. Departs from the paper in the sums of long rows: a second
// launch adds the parts in a fixed order, so that results are the same bits in every run.
//
// By diagonals (Krueger & Westermann 2003), banded matrices need no columns.
#pragma once

#include "solvers/sparse/csr.h"

namespace tl {

/// A block's part of a product: whole rows, or entries of one long row.
struct RowChunk {
    int first_row = 0, end_row = 0;
    int first_entry = 0, end_entry = 0;
    int part = -1;  ///< index of the part of a long row; -1 for whole rows
};
/// A row that is cut into parts.
struct LongRow {
    int row = 0, first_part = 0, end_part = 0;
};

/// The most entries of a chunk, whose products fit in a block's shared memory.
inline constexpr int kChunkEntries = 2048;

/// A matrix by rows with its chunks, passed to kernels by value.
template <class T>
struct ChunkedRows {
    CsrView<T> a;
    const RowChunk* chunks = nullptr;
    const LongRow* long_rows = nullptr;
    T* parts = nullptr;  ///< sums of the parts of long rows
    int n_chunks = 0, n_long_rows = 0;
};

/// Diagonals of a square matrix: element (i, i + offsets[d]) is values[d * n + i].
template <class T>
struct DiagonalsView {
    int n = 0, count = 0;
    const int* offsets = nullptr;
    const T* values = nullptr;  ///< 0 where the diagonal leaves the matrix
};

/// alpha and beta of a product; c may be y. With beta 0, c is not read.
template <class T>
struct ProductTerms {
    T alpha = 1;
    View<const T> x;
    T beta = 0;
    View<const T> c;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // y = alpha A x + beta c; x must not overlap y.
    template <class T>
    void multiply_rows(Stream& stream, const ChunkedRows<T>& rows, const ProductTerms<T>& terms,
                       View<T> y);
    template <class T>
    void multiply_diagonals(Stream& stream, const DiagonalsView<T>& a,
                            const ProductTerms<T>& terms, View<T> y);
)
// clang-format on
