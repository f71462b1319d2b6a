// Moves of rows. On CUDA eight lanes share a column: each holds every eighth of the panel's rows
// and of the rows that they displace. So a column's rows are read before any is written, and the
// unit lower triangle is solved in registers.
#include "solvers/dense/lu/row_moves.h"

#include "core/device/block.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kRowLanes = 8;
constexpr int kThreads = 256;

#if defined(__CUDACC__)
constexpr int kColumnsPerBlock = kThreads / kRowLanes;
#else
constexpr int kColumnsPerBlock = 8;
#endif

/// Columns of the unit lower triangle, as many at once as are 32 kB of doubles.
template <class T, int kSide>
struct Factors {
    static constexpr int kColumns = 4096 / kSide;
    T column[kColumns][kSide];
};

/// kRows: rows of a panel per lane.
template <class T, int kRows>
struct MoveRows {
    static constexpr int kSide = kRows * kRowLanes;
    using Shared = Factors<T, kSide>;
    MatrixView<T> a;
    MatrixView<const T> triangle;  ///< unit lower, `width` columns; not read unless columns.solves
    RowMoves moves;
    int first, width;
    MovedColumns columns;
    int n_left_blocks;
    bool moved;  ///< the rows have been moved: only solves

    TL_D void operator()(const Block<kThreads>& block, [[maybe_unused]] Shared& shared) const {
        auto index = static_cast<int>(block.index);
        bool left = index < n_left_blocks;
        int begin = left ? index * kColumnsPerBlock
                         : columns.right + (index - n_left_blocks) * kColumnsPerBlock;
        int end = left ? columns.n_left : columns.right + columns.n_right;
#if defined(__CUDACC__)
        // All lanes go through the exchanges of values, those past the last column with none.
        int j = begin + static_cast<int>(block.rank) / kRowLanes;
        by_lanes(block, shared, j, j < end, columns.solves && !left);
#else
        if (end > begin + kColumnsPerBlock) end = begin + kColumnsPerBlock;
        for (int j = begin; j < end; ++j) {
            if (!moved) move(a.col(j));
            if (columns.solves && !left) solve(a.col(j));
        }
#endif
    }

#if defined(__CUDACC__)
    TL_D void by_lanes(const Block<kThreads>& block, Shared& shared, int j, bool real,
                       bool solves) const {
        int lane = static_cast<int>(block.rank) % kRowLanes;
        T x[kRows];
        T* column = a.data + static_cast<std::size_t>(real ? j : 0) * a.stride;
        int w = width;
        if (moved) {
            for (int q = 0; q < kRows; ++q)
                x[q] =
                    real && q * kRowLanes + lane < w ? column[first + q * kRowLanes + lane] : T(0);
        } else {
            for (int panel = first; panel < first + width; panel += moves.leaf) {
                const int *to = moves.to_of(panel), *from = moves.from_of(panel);
                w = moves.width(panel);
                T away[kRows];
                int place[kRows];
#pragma unroll
                for (int q = 0; q < kRows; ++q) {
                    int t = q * kRowLanes + lane;
                    bool has = real && t < w;
                    x[q] = has ? column[from[t]] : T(0);
                    place[q] = has ? to[w + t] : -1;
                    away[q] = place[q] >= 0 ? column[from[w + t]] : T(0);
                }
                // A column belongs to one warp.
                __syncwarp();
#pragma unroll
                for (int q = 0; q < kRows; ++q) {
                    int t = q * kRowLanes + lane;
                    if (real && t < w && !solves) column[panel + t] = x[q];
                    if (place[q] >= 0) column[place[q]] = away[q];
                }
                __syncwarp();
            }
        }
        if (!solves) return;
        constexpr int kUnrolled = kRows <= 8 ? kRowLanes : 1;
#pragma unroll
        for (int of = 0; of < kRows; ++of) {
            if (of * kRowLanes % Shared::kColumns == 0) load(block, shared, of * kRowLanes, w);
#pragma unroll kUnrolled
            for (int owner = 0; owner < kRowLanes; ++owner) {
                int k = of * kRowLanes + owner;
                if (k >= w) continue;
                T value = __shfl_sync(kWholeWarp, x[of], owner, kRowLanes);
                const T* factors = shared.column[k % Shared::kColumns];
#pragma unroll
                for (int q = of; q < kRows; ++q) {
                    int i = q * kRowLanes + lane;
                    if (i > k) x[q] -= factors[i] * value;
                }
            }
        }
#pragma unroll
        for (int q = 0; q < kRows; ++q)
            if (real && q * kRowLanes + lane < w) column[first + q * kRowLanes + lane] = x[q];
    }
    /// Columns of the triangle from `begin` on, with zeros below its w rows.
    TL_D void load(const Block<kThreads>& block, Shared& shared, int begin, int w) const {
        block.sync();  // the columns before these are done with
        for (auto e = static_cast<int>(block.rank); e < Shared::kColumns * kSide; e += kThreads) {
            int i = e % kSide, k = begin + e / kSide;
            shared.column[e / kSide][i] = i < w && k < w ? triangle(i, k) : T(0);
        }
        block.sync();
    }
#else
    void move(T* column) const {
        for (int panel = first; panel < first + width; panel += moves.leaf) {
            const int *to = moves.to_of(panel), *from = moves.from_of(panel);
            int count = 2 * moves.width(panel);
            T values[2 * kMostLeaf];
            for (int e = 0; e < count; ++e)
                if (to[e] >= 0) values[e] = column[from[e]];
            for (int e = 0; e < count; ++e)
                if (to[e] >= 0) column[to[e]] = values[e];
        }
    }
    void solve(T* column) const {
        T* x = column + first;
        for (int k = 0; k < width; ++k) {
            const T* l = triangle.col(k);
            for (int i = k + 1; i < width; ++i) x[i] -= l[i] * x[k];
        }
    }
#endif
};

template <class T>
void launch_moves(Stream& stream, MatrixView<T> a, MatrixView<const T> triangle, RowMoves moves,
                  int first, int width, MovedColumns columns, bool moved) {
    auto blocks = [](int n) { return (n + kColumnsPerBlock - 1) / kColumnsPerBlock; };
    int n_left = blocks(columns.n_left);
    auto n_blocks = static_cast<std::uint32_t>(n_left + blocks(columns.n_right));
    const char* name = moved ? "solve by panel" : "move rows";
    if ((moved ? width : moves.leaf) <= 64)
        launch_blocks<kThreads>(
            stream, name, n_blocks,
            MoveRows<T, 64 / kRowLanes>{a, triangle, moves, first, width, columns, n_left, moved});
    else
        launch_blocks<kThreads>(stream, name, n_blocks,
                                MoveRows<T, kMostLeaf / kRowLanes>{a, triangle, moves, first, width,
                                                                   columns, n_left, moved});
}

/// Applies the exchanges in order: only rows of the panel's square are ever displaced.
struct MovesOfSwaps {
    struct Shared {
        int row_at[kMostLeaf];  ///< row of the square that is now at each of its rows
        int place[kMostLeaf];   ///< current position of each row of the square; -1: it was chosen
        int chosen;
    };
    View<const int> swaps;
    RowMoves moves;
    int first;

    TL_D void operator()(const Block<32>& block, Shared& shared) const {
        int w = moves.width(first), rank = static_cast<int>(block.rank);
        auto size = static_cast<int>(block.size);
        int *to = moves.to_of(first), *from = moves.from_of(first);
        for (int k = rank; k < w; k += size) shared.row_at[k] = shared.place[k] = k;
        block.sync();
        for (int k = 0; k < w; ++k) {
            int p = swaps[static_cast<std::size_t>(first + k)] - first;
            if (rank == 0) shared.chosen = p < w ? shared.row_at[p] : p;
            block.sync();
            // A row outside of the square may hold one of its rows by now.
            if (p >= w)
                for (int q = rank; q < w; q += size)
                    if (shared.place[q] == p) shared.chosen = q;
            block.sync();
            if (rank == 0) {
                int chosen = shared.chosen, moved = shared.row_at[k];
                to[k] = first + k;
                from[k] = first + chosen;
                shared.row_at[k] = chosen;
                if (p < w && p != k) shared.row_at[p] = moved;
                shared.place[moved] = p;
                if (chosen < w) shared.place[chosen] = -1;
            }
            block.sync();
        }
        if (rank != 0) return;
        for (int q = 0; q < w; ++q) {
            to[w + q] = shared.place[q] < 0 ? -1 : first + shared.place[q];
            from[w + q] = first + q;
        }
    }
};

}  // namespace

void moves_of_swaps(Stream& stream, View<const int> swaps, RowMoves moves, int first) {
    launch_blocks<32>(stream, "moves of swaps", 1, MovesOfSwaps{swaps, moves, first});
}

template <class T>
void move_rows(Stream& stream, MatrixView<T> a, RowMoves moves, int first, int width,
               MovedColumns columns) {
    if (width == 0) return;
    MatrixView<const T> triangle;
    if (columns.solves) triangle = a.block(first, first, width, width);
    launch_moves(stream, a, triangle, moves, first, width, columns, false);
}

template <class T>
void solve_by_panel(Stream& stream, MatrixView<const T> l, MatrixView<T> b) {
    if (b.empty()) return;
    launch_moves(stream, b, l, RowMoves{}, 0, b.rows, MovedColumns{0, 0, b.cols, true}, true);
}

template void move_rows(Stream&, MatrixView<float>, RowMoves, int, int, MovedColumns);
template void move_rows(Stream&, MatrixView<double>, RowMoves, int, int, MovedColumns);
template void solve_by_panel(Stream&, MatrixView<const float>, MatrixView<float>);
template void solve_by_panel(Stream&, MatrixView<const double>, MatrixView<double>);

TL_DEVICE_END
