#include "solvers/sparse/sparse_matrix.h"

#include <algorithm>

namespace tl {
namespace {

constexpr const char* kSparseAdvice = "take a smaller matrix, or float instead of double";

/// Chunks of a matrix, and its rows that are cut.
struct Chunks {
    std::vector<RowChunk> chunks;
    std::vector<LongRow> long_rows;
    int n_parts = 0;
};

void add_long_row(const HostCsr& a, int i, Chunks& made) {
    LongRow row{i, made.n_parts, made.n_parts};
    for (int k = a.starts[i]; k < a.starts[i + 1]; k += kChunkEntries)
        made.chunks.push_back(
            {i, i + 1, k, std::min(k + kChunkEntries, a.starts[i + 1]), row.end_part++});
    made.n_parts = row.end_part;
    made.long_rows.push_back(row);
}

/// Cuts rows into chunks of about `size` entries.
Chunks chunks_of(const HostCsr& a, int size) {
    Chunks made;
    for (int i = 0; i < a.rows;) {
        if (a.row_size(i) > kChunkEntries) {
            add_long_row(a, i++, made);
            continue;
        }
        int end = i + 1;
        while (end < a.rows && end - i < kChunkEntries && a.starts[end + 1] - a.starts[i] <= size)
            ++end;
        made.chunks.push_back({i, end, a.starts[i], a.starts[end], -1});
        i = end;
    }
    return made;
}

/// Small matrices have smaller chunks on a GPU, so that all its multiprocessors get some.
int chunk_size(const HostCsr& a, const Device& device) {
    constexpr int kWanted = 2048, kLeast = 256;
    if (device.kind() == DeviceKind::cpu) return kChunkEntries;
    return std::clamp(a.entries() / kWanted, kLeast, kChunkEntries);
}

template <class T>
class RowsMatrix final : public SparseMatrix<T> {
  public:
    RowsMatrix(Stream& stream, const HostCsr& host) : SparseMatrix<T>(host), a_(stream, host) {
        auto made = chunks_of(host, chunk_size(host, stream.device()));
        chunks_.assign(stream, made.chunks);
        long_rows_.assign(stream, made.long_rows);
        parts_.resize_discard(stream, static_cast<std::size_t>(made.n_parts));
    }
    void multiply(Stream& stream, const ProductTerms<T>& terms, View<T> y) const override {
        ChunkedRows<T> rows{a_.view(),
                            chunks_.data(),
                            long_rows_.data(),
                            parts_.data(),
                            static_cast<int>(chunks_.size()),
                            static_cast<int>(long_rows_.size())};
        TL_DISPATCH(stream.device(), multiply_rows<T>(stream, rows, terms, y));
    }
    [[nodiscard]] SparseFormat format() const override { return SparseFormat::csr; }
    [[nodiscard]] std::size_t bytes() const override {
        return a_.bytes() + chunks_.bytes() + long_rows_.bytes() + parts_.bytes();
    }

  private:
    Csr<T> a_;
    DeviceArray<RowChunk> chunks_;
    DeviceArray<LongRow> long_rows_;
    mutable DeviceArray<T> parts_;  ///< of the product in progress
};

/// Offsets of the diagonals that have entries, in ascending order; empty for more than `most`.
std::vector<int> offsets_of(const HostCsr& a, std::size_t most) {
    std::vector<int> offsets;
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
            int offset = a.columns[k] - i;
            auto at = std::ranges::lower_bound(offsets, offset);
            if (at != offsets.end() && *at == offset) continue;
            if (offsets.size() == most) return {};
            offsets.insert(at, offset);
        }
    return offsets;
}

template <class T>
class DiagonalsMatrix final : public SparseMatrix<T> {
  public:
    DiagonalsMatrix(Stream& stream, const HostCsr& host, const std::vector<int>& offsets)
        : SparseMatrix<T>(host), offsets_(stream, offsets) {
        auto n = static_cast<std::size_t>(host.rows);
        std::vector<T> values(n * offsets.size());
        for (int i = 0; i < host.rows; ++i) {
            std::size_t d = 0;
            for (int k = host.starts[i]; k < host.starts[i + 1]; ++k) {
                while (offsets[d] != host.columns[k] - i) ++d;
                values[d * n + static_cast<std::size_t>(i)] = static_cast<T>(host.values[k]);
            }
        }
        values_.assign(stream, values);
    }
    void multiply(Stream& stream, const ProductTerms<T>& terms, View<T> y) const override {
        DiagonalsView<T> a{this->rows(), static_cast<int>(offsets_.size()), offsets_.data(),
                           values_.data()};
        TL_DISPATCH(stream.device(), multiply_diagonals<T>(stream, a, terms, y));
    }
    [[nodiscard]] SparseFormat format() const override { return SparseFormat::dia; }
    [[nodiscard]] std::size_t bytes() const override { return offsets_.bytes() + values_.bytes(); }

  private:
    DeviceArray<int> offsets_;
    DeviceArray<T> values_;
};

/// The most diagonals with which a matrix takes at most `factor` times the memory of its rows.
template <class T>
std::size_t most_diagonals(const HostCsr& a, double factor) {
    double of_rows = a.entries() * static_cast<double>(sizeof(T) + sizeof(int));
    return static_cast<std::size_t>(factor * of_rows /
                                    (std::max(a.rows, 1) * static_cast<double>(sizeof(T))));
}

}  // namespace

template <class T>
std::unique_ptr<SparseMatrix<T>> make_sparse_matrix(Stream& stream, const HostCsr& host,
                                                    SparseFormat format) {
    constexpr double kPays = 0.95, kMostFactor = 8;
    std::vector<int> offsets;
    bool is_wanted = format == SparseFormat::dia;
    if (host.rows == host.cols && host.entries() > 0 &&
        (is_wanted || format == SparseFormat::automatic))
        offsets = offsets_of(host, most_diagonals<T>(host, is_wanted ? kMostFactor : kPays));
    if (is_wanted && offsets.empty())
        throw UserError("the matrix is not banded: as diagonals it would take more than " +
                        std::to_string(static_cast<int>(kMostFactor)) +
                        " times the memory of its rows, or it is not square; use format csr");
    std::uint64_t bytes =
        offsets.empty()
            ? host.columns.size() * (sizeof(T) + sizeof(int)) + host.starts.size() * sizeof(int)
            : offsets.size() * static_cast<std::uint64_t>(host.rows) * sizeof(T);
    require_memory(stream.device(), bytes, "the sparse matrix", kSparseAdvice);
    if (!offsets.empty()) return std::make_unique<DiagonalsMatrix<T>>(stream, host, offsets);
    if (format != SparseFormat::cusparse) return std::make_unique<RowsMatrix<T>>(stream, host);
#if defined(TL_HAS_CUDA)
    if (stream.device().kind() == DeviceKind::cuda) return make_cusparse_matrix<T>(stream, host);
#endif
    throw UserError("sparse format 'cusparse' does not run on " +
                    std::string(device_id(stream.device().kind())) + "; use format csr");
}

template std::unique_ptr<SparseMatrix<float>> make_sparse_matrix(Stream&, const HostCsr&,
                                                                 SparseFormat);
template std::unique_ptr<SparseMatrix<double>> make_sparse_matrix(Stream&, const HostCsr&,
                                                                  SparseFormat);

}  // namespace tl
