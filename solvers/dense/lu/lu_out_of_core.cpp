#include "solvers/dense/lu/lu_out_of_core.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/host_memory.h"
#include "solvers/dense/blas.h"
#include "solvers/dense/lu/lu_blocked.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

constexpr int kLeaf = kMostLeaf;              // widths of panels are multiples of it
constexpr int kNarrowest = 64, kWide = 2048;  // of blocks

/// One of the two buffers of blocks, and the ends of the work on it.
template <class T>
struct BlockBuffer {
    Matrix<T> columns;
    std::unique_ptr<Event> loaded, used;

    BlockBuffer(Stream& stream, int rows, int cols)
        : columns(stream, rows, cols),
          loaded(stream.device().create_event()),
          used(stream.device().create_event()) {
        used->record(stream);
    }
};

template <class T>
class OutOfCoreFactorisation {
  public:
    OutOfCoreFactorisation(Stream& stream, MatrixView<T> host, const OutOfCoreWidths& widths,
                           SolverRun& run)
        : stream_(stream),
          copies_(stream.device().create_stream()),
          blas_(make_blas(stream)),
          host_(host),
          widths_(widths),
          run_(run),
          n_steps_(std::min(host.rows, host.cols)),
          panel_(stream, host.rows, widths.panel),
          buffers_{{stream, host.rows, widths.block}, {stream, host.rows, widths.block}},
          moves_(stream, std::size_t(4) * static_cast<std::size_t>(std::max(n_steps_, 1))),
          swaps_(stream, static_cast<std::size_t>(n_steps_)) {
        result_.swaps.resize(static_cast<std::size_t>(n_steps_));
    }
    ~OutOfCoreFactorisation() {
        // Copies may still read the host's matrix, which ends after this object.
        try {
            copies_->synchronize();
            stream_.synchronize();
        } catch (const std::exception&) {
            // The error has been thrown before.
        }
    }
    OutOfCoreFactorisation(const OutOfCoreFactorisation&) = delete;
    OutOfCoreFactorisation& operator=(const OutOfCoreFactorisation&) = delete;

    OutOfCoreResult factorise() {
        for (int first = 0; first < host_.cols; first += widths_.panel) {
            int width = std::min(widths_.panel, host_.cols - first);
            auto panel = panel_.view().columns(0, width);
            load_panel(panel, first);
            for (int left = 0; left < std::min(first, n_steps_); left += widths_.panel)
                update(panel, left);
            if (first < n_steps_) factorise_panel(panel, first);
            stream_.device().download(stream_, host_.col(first), panel.data, bytes_of(width));
            ++result_.n_panels;
            n_updates_ = 0;
            run_.report(fraction_before(first + width));
        }
        exchange_rows_at_left();
        return std::move(result_);
    }

  private:
    [[nodiscard]] std::size_t bytes_of(int n_columns) const {
        return sizeof(T) * static_cast<std::size_t>(host_.rows) *
               static_cast<std::size_t>(n_columns);
    }
    [[nodiscard]] RowMoves moves() { return {moves_.data(), kLeaf, n_steps_}; }
    /// Fraction of all operations that the panels left of a column take.
    [[nodiscard]] double fraction_before(int column) const {
        double share = double(column) / host_.cols, square = double(n_steps_) / host_.rows;
        return share * share * (3 - share * square) / (3 - square);
    }

    void load_panel(MatrixView<T> panel, int first) {
        stream_.device().upload(stream_, panel.data, host_.col(first), bytes_of(panel.cols));
        if (all_finite<T>(stream_, panel)) return;
        for (int j = first; j < first + panel.cols; ++j)
            for (int i = 0; i < host_.rows; ++i)
                if (!std::isfinite(host_(i, j)))
                    throw UserError("lu: element (" + std::to_string(i) + ", " + std::to_string(j) +
                                    "), counted from 0, is not finite: the matrix has no factors");
    }

    /// Applies the exchanges of a factorised panel, whose first column is `left`, and eliminates
    /// its columns from another panel.
    void update(MatrixView<T> panel, int left) {
        int end = std::min(left + widths_.panel, n_steps_);
        TL_DISPATCH(stream_.device(), move_rows<T>(stream_, panel, moves(), left, end - left,
                                                   {0, 0, panel.cols, false}));
        for (int j = left; j < end; j += widths_.block) {
            int n = std::min(widths_.block, end - j), below = j + n;
            auto& buffer = buffers_[n_updates_++ % 2];
            auto l = load_block(buffer, j, n);
            auto u = panel.block(j, 0, n, panel.cols);
            blas_->solve(Triangle::unit_lower, Transpose::no, l.block(j, 0, n, n), u);
            blas_->gemm(Transpose::no, Transpose::no, T(-1),
                        l.block(below, 0, host_.rows - below, n), u, T(1),
                        panel.block(below, 0, host_.rows - below, panel.cols));
            buffer.used->record(stream_);
            // The host runs ahead of the device by the two buffers at most, so that it can be
            // cancelled.
            buffers_[n_updates_ % 2].used->wait();
            run_.report(run_.progress());
        }
    }

    MatrixView<const T> load_block(BlockBuffer<T>& buffer, int column, int n) {
        buffer.used->hold(*copies_);
        auto columns = buffer.columns.view().columns(0, n);
        stream_.device().upload(*copies_, columns.data, host_.col(column), bytes_of(n));
        buffer.loaded->record(*copies_);
        buffer.loaded->hold(stream_);
        return columns;
    }

    void factorise_panel(MatrixView<T> panel, int first) {
        int rows = host_.rows - first, n = std::min(rows, panel.cols);
        View<int> swaps(swaps_.data() + first, static_cast<std::size_t>(n));
        auto from = run_.progress();
        auto to = fraction_before(first + n);
        TL_DISPATCH(stream_.device(),
                    factorise_by_blocks<T>(
                        stream_, panel.block(first, 0, rows, panel.cols), swaps, LuBlocks{},
                        [&](double done) { run_.report(from + done * (to - from)); }));
        // Exchanges in rows of the whole matrix.
        int* host_swaps = result_.swaps.data() + first;
        std::size_t bytes = sizeof(int) * swaps.size;
        stream_.device().download(stream_, host_swaps, swaps.data, bytes);
        for (int k = 0; k < n; ++k) host_swaps[k] += first;
        stream_.device().upload(stream_, swaps.data, host_swaps, bytes);
        for (int leaf = first; leaf < first + n; leaf += kLeaf)
            TL_DISPATCH(stream_.device(), moves_of_swaps(stream_, swaps_.view(), moves(), leaf));
    }

    /// Applies to each panel of L the exchanges of the panels at its right.
    void exchange_rows_at_left() {
        tbb::parallel_for(0, std::min(host_.cols, n_steps_), [&](int j) {
            int end = std::min((j / widths_.panel + 1) * widths_.panel, n_steps_);
            T* column = host_.col(j);
            for (int k = end; k < n_steps_; ++k)
                std::swap(column[k], column[result_.swaps[static_cast<std::size_t>(k)]]);
        });
    }

    Stream& stream_;
    std::unique_ptr<Stream> copies_;
    std::unique_ptr<Blas> blas_;
    MatrixView<T> host_;
    OutOfCoreWidths widths_;
    SolverRun& run_;
    int n_steps_;
    Matrix<T> panel_;
    BlockBuffer<T> buffers_[2];
    std::size_t n_updates_ = 0;  ///< blocks that have updated the present panel
    DeviceArray<int> moves_, swaps_;
    OutOfCoreResult result_;
};

}  // namespace

template <class T>
PinnedMatrix<T>::PinnedMatrix(Device& device, int rows, int cols)
    : device_(&device), data_(nullptr), rows_(rows), cols_(cols) {
    auto bytes = sizeof(T) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    require_host_memory(bytes, "the matrix in host memory",
                        "ask for a smaller matrix, or for float instead of double");
    data_ = static_cast<T*>(device.allocate_pinned(std::max<std::size_t>(bytes, 1)));
}

OutOfCoreWidths out_of_core_widths(int rows, int cols, std::size_t element_size,
                                   std::uint64_t memory) {
    auto column = static_cast<std::uint64_t>(std::max(rows, 1)) * element_size;
    auto n_columns = static_cast<std::int64_t>(memory / column);
    // Blocks take a tenth of the columns: wide products, and few columns less for the panel.
    std::int64_t block =
        std::clamp<std::int64_t>(n_columns / 20 / kNarrowest * kNarrowest, kNarrowest, kWide);
    std::int64_t panel = (n_columns - 2 * block) / kLeaf * kLeaf;
    if (panel < kLeaf)
        throw UserError("lu out of core: a panel of " + std::to_string(kLeaf) +
                        " columns with two blocks needs " +
                        std::to_string(((kLeaf + 2 * kNarrowest) * column >> 20) + 1) +
                        " MB of the device, and has " + std::to_string(memory >> 20) +
                        " MB: give it more by --device-memory");
    return {static_cast<int>(std::min<std::int64_t>(panel, std::max(cols, 1))),
            static_cast<int>(block)};
}

template <class T>
OutOfCoreResult factorise_out_of_core(Stream& stream, MatrixView<T> host,
                                      const OutOfCoreWidths& widths, SolverRun& run) {
    if (host.empty()) return {};
    return OutOfCoreFactorisation<T>(stream, host, widths, run).factorise();
}

template class PinnedMatrix<float>;
template class PinnedMatrix<double>;
template OutOfCoreResult factorise_out_of_core(Stream&, MatrixView<float>, const OutOfCoreWidths&,
                                               SolverRun&);
template OutOfCoreResult factorise_out_of_core(Stream&, MatrixView<double>, const OutOfCoreWidths&,
                                               SolverRun&);

}  // namespace tl
