#include "solvers/sparse/sparse_products.h"

#include "core/device/block.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kRowThreads = 256;
constexpr int kDiagonalThreads = 256, kDiagonalRows = 1024;

/// Writes an element of a product.
template <class T>
TL_D TL_ALWAYS_INLINE void write_product(const ProductTerms<T>& terms, int i, T sum, View<T> y) {
    T value = terms.alpha * sum;
    if (terms.beta != T(0)) value += terms.beta * terms.c.data[i];
    y.data[i] = value;
}

/// Shared memory of a chunk: the products of its entries, then the sums of threads.
template <class T>
struct ChunkShared {
    T terms[kChunkEntries];
};

/// Called by all threads of a block with their sums: the first gets the sum of all.
template <class T, class B>
TL_D T sum_of_threads(const B& block, ChunkShared<T>& shared, T sum) {
    shared.terms[block.rank] = sum;
    for (std::uint32_t half = B::size / 2; half > 0; half /= 2) {
        block.sync();
        if (block.rank < half) {
            sum += shared.terms[block.rank + half];
            shared.terms[block.rank] = sum;
        }
    }
    return sum;
}

/// A chunk of rows.
template <class T>
struct MultiplyChunk {
    using Shared = ChunkShared<T>;
    ChunkedRows<T> rows;
    ProductTerms<T> terms;
    View<T> y;

    [[nodiscard]] TL_D T term(int k) const {
        return rows.a.values[k] * terms.x.data[rows.a.columns[k]];
    }
    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        RowChunk chunk = rows.chunks[block.index];
        if (chunk.end_row - chunk.first_row == 1)
            sum_row(block, shared, chunk);
        else if constexpr (B::size == 1)
            sum_rows_alone(chunk);
        else
            sum_rows(block, shared, chunk);
    }
    /// One row or a part of it, by all threads.
    template <class B>
    TL_D void sum_row(const B& block, Shared& shared, const RowChunk& chunk) const {
        T sum = 0;
        for (int k = chunk.first_entry + int(block.rank); k < chunk.end_entry; k += int(B::size))
            sum += term(k);
        if constexpr (B::size > 1) sum = sum_of_threads<T>(block, shared, sum);
        if (block.rank != 0) return;
        if (chunk.part >= 0)
            rows.parts[chunk.part] = sum;
        else
            write_product(terms, chunk.first_row, sum, y);
    }
    /// All rows, one after the other.
    TL_D void sum_rows_alone(const RowChunk& chunk) const {
        int k = chunk.first_entry;
        for (int i = chunk.first_row; i < chunk.end_row; ++i) {
            T sum = 0;
            for (int end = rows.a.starts[i + 1]; k < end; ++k) sum += term(k);
            write_product(terms, i, sum, y);
        }
    }
    /// Products first, read in order; then each row is summed by a group of 1 to 32 threads.
    template <class B>
    TL_D void sum_rows(const B& block, Shared& shared, const RowChunk& chunk) const {
        for (int k = chunk.first_entry + int(block.rank); k < chunk.end_entry; k += int(B::size))
            shared.terms[k - chunk.first_entry] = term(k);
        block.sync();
        int n_rows = chunk.end_row - chunk.first_row, width = 32;
        while (width > 1 && n_rows * width > int(B::size)) width /= 2;
        int lane = int(block.rank) % width, n_groups = int(B::size) / width;
        for (int base = 0; base < n_rows; base += n_groups) {
            int i = chunk.first_row + base + int(block.rank) / width;
            bool valid = i < chunk.end_row;
            T sum = 0;
            if (valid) {
                int end = rows.a.starts[i + 1] - chunk.first_entry;
                for (int k = rows.a.starts[i] - chunk.first_entry + lane; k < end; k += width)
                    sum += shared.terms[k];
            }
#if defined(__CUDACC__)
            for (int offset = width / 2; offset > 0; offset /= 2)
                sum += __shfl_down_sync(kWholeWarp, sum, offset, width);
#endif
            if (valid && lane == 0) write_product(terms, i, sum, y);
        }
    }
};

/// Adds the parts of a long row.
template <class T>
struct SumParts {
    using Shared = ChunkShared<T>;
    ChunkedRows<T> rows;
    ProductTerms<T> terms;
    View<T> y;

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        LongRow row = rows.long_rows[block.index];
        T sum = 0;
        for (int k = row.first_part + int(block.rank); k < row.end_part; k += int(B::size))
            sum += rows.parts[k];
        if constexpr (B::size > 1) sum = sum_of_threads<T>(block, shared, sum);
        if (block.rank == 0) write_product(terms, row.row, sum, y);
    }
};

/// Rows of a matrix by diagonals.
template <class T>
struct MultiplyDiagonals {
    struct Shared {
        T sums[kDiagonalRows];  ///< of a block of one thread
    };
    DiagonalsView<T> a;
    ProductTerms<T> terms;
    View<T> y;

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        int first = int(block.index) * kDiagonalRows;
        int end = a.n - first < kDiagonalRows ? a.n : first + kDiagonalRows;
        if constexpr (B::size == 1)
            sum_alone(shared, first, end);
        else
            for (int i = first + int(block.rank); i < end; i += int(B::size)) {
                T sum = 0;
                for (int d = 0; d < a.count; ++d) {
                    int j = i + a.offsets[d];
                    if (j >= 0 && j < a.n) sum += diagonal(d)[i] * terms.x.data[j];
                }
                write_product(terms, i, sum, y);
            }
    }
    [[nodiscard]] TL_D const T* diagonal(int d) const {
        return a.values + static_cast<std::size_t>(d) * static_cast<std::size_t>(a.n);
    }
    /// Diagonal by diagonal, in loops over consecutive elements.
    TL_D void sum_alone(Shared& shared, int first, int end) const {
        for (int i = first; i < end; ++i) shared.sums[i - first] = 0;
        for (int d = 0; d < a.count; ++d) {
            int offset = a.offsets[d];
            int low = first + offset < 0 ? -offset : first;
            int high = end + offset > a.n ? a.n - offset : end;
            const T *from = diagonal(d), *x = terms.x.data;
            for (int i = low; i < high; ++i) shared.sums[i - first] += from[i] * x[i + offset];
        }
        for (int i = first; i < end; ++i) write_product(terms, i, shared.sums[i - first], y);
    }
};

}  // namespace

template <class T>
void multiply_rows(Stream& stream, const ChunkedRows<T>& rows, const ProductTerms<T>& terms,
                   View<T> y) {
    launch_blocks<kRowThreads>(stream, "sparse product", static_cast<std::uint32_t>(rows.n_chunks),
                               MultiplyChunk<T>{rows, terms, y});
    launch_blocks<kRowThreads>(stream, "long rows", static_cast<std::uint32_t>(rows.n_long_rows),
                               SumParts<T>{rows, terms, y});
}

template <class T>
void multiply_diagonals(Stream& stream, const DiagonalsView<T>& a, const ProductTerms<T>& terms,
                        View<T> y) {
    launch_blocks<kDiagonalThreads>(
        stream, "banded product",
        (static_cast<std::uint32_t>(a.n) + kDiagonalRows - 1) / kDiagonalRows,
        MultiplyDiagonals<T>{a, terms, y});
}

#define TL_INSTANTIATE(T)                                                                         \
    template void multiply_rows(Stream&, const ChunkedRows<T>&, const ProductTerms<T>&, View<T>); \
    template void multiply_diagonals(Stream&, const DiagonalsView<T>&, const ProductTerms<T>&,    \
                                     View<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
