// Each column takes two launches, as in lu/lu_steps.cu: one block chooses the pivot, if there is
// one, and exchanges rows; every block, which has a tile of rows, eliminates and finds its largest
// element of the next column.
#include "solvers/dense/rref/rref_kernels.h"

#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

template <class T>
struct Largest {
    T size;
    int row;

    TL_D void improve(const Largest& other) {
        if (other.size > size || (other.size == size && other.row < row)) *this = other;
    }
    TL_D static Largest none() { return {T(-1), 1 << 30}; }
};

/// The largest value over the threads of a block; valid in thread 0.
template <class T>
TL_D Largest<T> block_largest(const TileBlock& block, Largest<T>* shared, Largest<T> own) {
    shared[block.rank] = own;
    block.sync();
    if (block.rank == 0)
        for (std::uint32_t t = 1; t < block.size; ++t) own.improve(shared[t]);
    return own;
}

template <class T>
struct ChoosePivot {
    struct Shared {
        Largest<T> best[kTile];
        int row, top;
    };
    MatrixView<T> a;
    int first, width, column;
    T tolerance;
    const Largest<T>* candidates;
    int n_candidates;
    EchelonState* state;
    View<int> pivots, swaps;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        auto best = Largest<T>::none();
        for (int i = static_cast<int>(block.rank); i < n_candidates;
             i += static_cast<int>(block.size))
            best.improve(candidates[i]);
        best = block_largest(block, shared.best, best);
        if (block.rank == 0) {
            bool found = best.size > tolerance;
            int top = state->rank;
            state->current = found ? top : -1;
            if (found) {
                pivots[static_cast<std::size_t>(top)] = column;
                swaps[static_cast<std::size_t>(top)] = best.row;
                state->rank = top + 1;
            }
            shared.top = top;
            shared.row = found ? best.row : top;
        }
        block.sync();
        int row = shared.row, top = shared.top;
        if (row == top) return;
        for (int j = static_cast<int>(block.rank); j < width; j += static_cast<int>(block.size)) {
            T value = a(top, first + j);
            a(top, first + j) = a(row, first + j);
            a(row, first + j) = value;
        }
    }
};

template <class T>
struct EliminateDown {
    struct Shared {
        Largest<T> best[kTile];
    };
    MatrixView<T> a;
    int column;     ///< eliminated column; -1: only candidates are found
    int next, end;  ///< column whose candidates are found; columns of the panel end here
    const EchelonState* state;
    Largest<T>* candidates;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        TileRows rows(block, block.index, 0, a.rows);
        int top = state->current;
        if (column >= 0 && top >= 0) eliminate(rows, top);
        block.sync();
        if (next == end) return;
        auto best = Largest<T>::none();
        for (int q = 0; q < rows.count; ++q) {
            int i = rows.first + q;
            if (i < state->rank) continue;
            T x = a(i, next);
            x = x < 0 ? -x : x;
            // NaN, from an overflow, is chosen at once.
            best.improve({x == x ? x : T(1) / T(0), i});
        }
        best = block_largest(block, shared.best, best);
        if (block.rank == 0) candidates[block.index] = best;
    }

    TL_D void eliminate(const TileRows& rows, int top) const {
        T pivot = a(top, column);
        int skipped = top + 1 - rows.first, begin = skipped > 0 ? skipped : 0;
        if (begin >= rows.count) return;
        T* l = a.col(column) + rows.first;
        for (int q = begin; q < rows.count; ++q) l[q] /= pivot;
        for (int j = column + 1; j < end; ++j) {
            T factor = a(top, j);
            T* to = a.col(j) + rows.first;
            for (int q = begin; q < rows.count; ++q) to[q] -= l[q] * factor;
        }
    }
};

}  // namespace

template <class T>
void eliminate_columns(Stream& stream, MatrixView<T> a, int first, int width, T tolerance,
                       EchelonState* state, View<int> pivots, View<int> swaps) {
    // Tiles count from row 0: how many rows have pivots is only known on the device.
    auto n_tiles = tile_count(a.rows);
    DeviceArray<Largest<T>> candidates(stream, n_tiles);
    int end = first + width;
    for (int column = first - 1; column < end; ++column) {
        if (column >= first)
            launch_blocks<kTile>(
                stream, "choose pivot", 1,
                ChoosePivot<T>{a, first, width, column, tolerance, candidates.data(),
                               static_cast<int>(n_tiles), state, pivots, swaps});
        launch_blocks<kTile>(stream, "eliminate down", n_tiles,
                             EliminateDown<T>{a, column >= first ? column : -1, column + 1, end,
                                              state, candidates.data()});
    }
}

template <class T>
void gather_free(Stream& stream, MatrixView<const T> a, View<const int> columns,
                 View<const int> pivots, MatrixView<T> f) {
    for_elements(
        stream, "gather free columns", f.rows, f.cols, TL_LAMBDA(int i, int j) {
            int column = columns[j];
            f(i, j) = pivots[i] < column ? a(i, column) : T(0);
        });
}

template <class T>
void assemble_reduced(Stream& stream, MatrixView<const T> f, View<const int> columns,
                      View<const int> pivots, MatrixView<T> r) {
    for_elements(
        stream, "clear reduced form", r.rows, r.cols, TL_LAMBDA(int i, int j) { r(i, j) = T(0); });
    for_elements(
        stream, "free columns", f.rows, f.cols,
        TL_LAMBDA(int i, int j) { r(i, columns[j]) = f(i, j); });
    for_elements(
        stream, "pivots", static_cast<int>(pivots.size), 1,
        TL_LAMBDA(int i, int) { r(i, pivots[i]) = T(1); });
}

#define TL_INSTANTIATE(T)                                                                          \
    template void eliminate_columns(Stream&, MatrixView<T>, int, int, T, EchelonState*, View<int>, \
                                    View<int>);                                                    \
    template void gather_free(Stream&, MatrixView<const T>, View<const int>, View<const int>,      \
                              MatrixView<T>);                                                      \
    template void assemble_reduced(Stream&, MatrixView<const T>, View<const int>, View<const int>, \
                                   MatrixView<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
