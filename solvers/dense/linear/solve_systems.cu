// Systems that are factorised and solved by a block of threads each: right-looking, by panels of
// kPanel columns, which are factorised in shared memory. Right sides are further columns, so that L
// is applied to them as it arises and never stored.
#include "core/device/block.h"
#include "solvers/dense/linear/solve_each.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kSystemThreads = 256;
/// Columns of a panel.
constexpr int kPanel = 8;
using SystemBlock = Block<kSystemThreads>;
constexpr int kBlockSize = static_cast<int>(SystemBlock::size);
/// Threads that share a column of the trailing matrix: consecutive ones have consecutive rows.
constexpr int kLanes = kBlockSize < 32 ? kBlockSize : 32;

template <class T>
struct SystemPivot {
    T size;
    int row;

    /// The larger one; the upper one of equals.
    TL_D void improve(const SystemPivot& other) {
        if (other.size > size || (other.size == size && other.row < row)) *this = other;
    }
};

/// Differences of other numbers with themselves are not 0.
template <class T>
TL_D bool is_finite(T value) {
    return value - value == T(0);
}

template <class T>
struct SolveSystem {
    struct Shared {
        T panel[kPanel][kMostRowsOfEach];  ///< columns of the panel, from its first row on
        SystemPivot<T> best[kSystemThreads];
        int pivots[kPanel];  ///< rows within the panel
        int zero_pivot;      ///< first column without a pivot; -1: none
        int is_infinite;
    };
    MatrixView<T> all_a, all_b;
    int n_sides;
    View<int> status;

    /// A panel of the block's system.
    struct Panel {
        MatrixView<T> a, b;
        int first, width;
        int rank;
        [[nodiscard]] TL_D int rows() const { return a.rows - first; }
        /// Columns of A behind the panel and those of B.
        [[nodiscard]] TL_D int n_trailing() const { return a.cols - first - width + b.cols; }
        /// Element of the panel's first row.
        [[nodiscard]] TL_D T* trailing(int j) const {
            int n_own = a.cols - first - width;
            return j < n_own ? &a(first, first + width + j) : &b(first, j - n_own);
        }
    };

    TL_D void operator()(const SystemBlock& block, Shared& shared) const {
        int n = all_a.rows, k = static_cast<int>(block.index);
        Panel p{all_a.columns(k * n, n), all_b.columns(k * n_sides, n_sides), 0, 0,
                static_cast<int>(block.rank)};
        if (p.rank == 0) {
            shared.zero_pivot = -1;
            shared.is_infinite = 0;
        }
        for (; p.first < n; p.first += kPanel) {
            p.width = n - p.first < kPanel ? n - p.first : kPanel;
            load_panel(block, shared, p);
            for (int q = 0; q < p.width; ++q) eliminate_column(block, shared, p, q);
            store_upper(shared, p);
            solve_top(shared, p);
            block.sync();
            update_below(shared, p);
            block.sync();
        }
        substitute_back(block, shared, p);
        check_solution(block, shared, p);
        if (p.rank == 0)
            status[block.index] =
                shared.zero_pivot < 0 && shared.is_infinite != 0 ? n : shared.zero_pivot;
    }

  private:
    TL_D static void load_panel(const SystemBlock& block, Shared& shared, const Panel& p) {
        for (int q = 0; q < p.width; ++q)
            for (int i = p.rank; i < p.rows(); i += kBlockSize)
                shared.panel[q][i] = p.a(p.first + i, p.first + q);
        block.sync();
    }

    /// The row of the largest element of the panel's column q, from row q on.
    TL_D static int choose_pivot(const SystemBlock& block, Shared& shared, const Panel& p, int q) {
        SystemPivot<T> best{T(-1), q};
        for (int i = q + p.rank; i < p.rows(); i += kBlockSize) {
            T value = shared.panel[q][i];
            best.improve({value < 0 ? -value : value, i});
        }
        shared.best[p.rank] = best;
        block.sync();
        for (int half = kBlockSize / 2; half > 0; half /= 2) {
            if (p.rank < half) shared.best[p.rank].improve(shared.best[p.rank + half]);
            block.sync();
        }
        return shared.best[0].row;
    }

    /// Exchanges rows of the panel, and eliminates column q from those behind it.
    TL_D static void eliminate_column(const SystemBlock& block, Shared& shared, const Panel& p,
                                      int q) {
        int row = choose_pivot(block, shared, p, q);
        if (p.rank == 0) shared.pivots[q] = row;
        for (int c = p.rank; c < p.width; c += kBlockSize) {
            T value = shared.panel[c][row];
            shared.panel[c][row] = shared.panel[c][q];
            shared.panel[c][q] = value;
        }
        block.sync();
        T pivot = shared.panel[q][q];
        // An infinite pivot would leave a solution that is finite.
        if (p.rank == 0 && !is_finite(pivot)) shared.is_infinite = 1;
        if (pivot == T(0)) {
            if (p.rank == 0 && shared.zero_pivot < 0) shared.zero_pivot = p.first + q;
            return;
        }
        for (int i = q + 1 + p.rank; i < p.rows(); i += kBlockSize) shared.panel[q][i] /= pivot;
        for (int c = q + 1; c < p.width; ++c) {
            T factor = shared.panel[c][q];
            for (int i = q + 1 + p.rank; i < p.rows(); i += kBlockSize)
                shared.panel[c][i] -= shared.panel[q][i] * factor;
        }
        block.sync();
    }

    /// Writes the panel's rows of U.
    TL_D static void store_upper(const Shared& shared, const Panel& p) {
        for (int t = p.rank; t < kPanel * p.width; t += kBlockSize) {
            int q = t / kPanel, i = t % kPanel;
            if (i <= q) p.a(p.first + i, p.first + q) = shared.panel[q][i];
        }
    }

    /// Exchanges rows of the columns behind the panel and solves for their rows of U, a thread for
    /// each column.
    TL_D static void solve_top(const Shared& shared, const Panel& p) {
        for (int j = p.rank; j < p.n_trailing(); j += kBlockSize) {
            T* column = p.trailing(j);
            for (int q = 0; q < p.width; ++q) {
                int row = shared.pivots[q];
                T value = column[row];
                column[row] = column[q];
                column[q] = value;
            }
            for (int q = 1; q < p.width; ++q) {
                T value = column[q];
                for (int c = 0; c < q; ++c) value -= shared.panel[c][q] * column[c];
                column[q] = value;
            }
        }
    }

    /// Subtracts L U from the rows below the panel, which has all its columns if there are any.
    TL_D static void update_below(const Shared& shared, const Panel& p) {
        if (p.rows() <= kPanel) return;
        int lane = p.rank % kLanes;
        for (int j = p.rank / kLanes; j < p.n_trailing(); j += kBlockSize / kLanes) {
            T* column = p.trailing(j);
            T top[kPanel];
            for (int q = 0; q < kPanel; ++q) top[q] = column[q];
            for (int i = kPanel + lane; i < p.rows(); i += kLanes) {
                T value = column[i];
                for (int q = 0; q < kPanel; ++q) value -= shared.panel[q][i] * top[q];
                column[i] = value;
            }
        }
    }

    /// B = U^-1 B by blocks of kPanel rows from the last one up.
    TL_D static void substitute_back(const SystemBlock& block, Shared& shared, Panel& p) {
        for (p.first = (p.a.rows - 1) / kPanel * kPanel; p.first >= 0; p.first -= kPanel) {
            p.width = p.rows() < kPanel ? p.rows() : kPanel;
            for (int t = p.rank; t < kPanel * p.width; t += kBlockSize) {
                int q = t / kPanel, i = t % kPanel;
                if (i <= q) shared.panel[q][i] = p.a(p.first + i, p.first + q);
            }
            block.sync();
            for (int j = p.rank; j < p.b.cols; j += kBlockSize) {
                T* x = &p.b(p.first, j);
                for (int q = p.width - 1; q >= 0; --q) {
                    x[q] /= shared.panel[q][q];
                    for (int i = 0; i < q; ++i) x[i] -= shared.panel[q][i] * x[q];
                }
            }
            block.sync();
            for (int j = 0; j < p.b.cols; ++j)
                for (int i = p.rank; i < p.first; i += kBlockSize) {
                    T value = p.b(i, j);
                    for (int q = 0; q < p.width; ++q)
                        value -= p.a(i, p.first + q) * p.b(p.first + q, j);
                    p.b(i, j) = value;
                }
            block.sync();
        }
    }

    TL_D static void check_solution(const SystemBlock& block, Shared& shared, const Panel& p) {
        for (int j = 0; j < p.b.cols; ++j)
            for (int i = p.rank; i < p.b.rows; i += kBlockSize)
                if (!is_finite(p.b(i, j))) shared.is_infinite = 1;
        block.sync();
    }
};

}  // namespace

template <class T>
void solve_systems(Stream& stream, MatrixView<T> a, MatrixView<T> b, View<int> status) {
    int n_systems = static_cast<int>(status.size);
    launch_blocks<kSystemThreads>(stream, "solve each", static_cast<std::uint32_t>(n_systems),
                                  SolveSystem<T>{a, b, b.cols / n_systems, status});
}

template void solve_systems(Stream&, MatrixView<float>, MatrixView<float>, View<int>);
template void solve_systems(Stream&, MatrixView<double>, MatrixView<double>, View<int>);

TL_DEVICE_END
