// Each step takes two launches: one block chooses the pivot among the candidates of all blocks,
// exchanges row and column, and divides by the pivot; every block, which has a tile of rows of some
// columns, subtracts the products and finds its largest element for the next step.
#include "solvers/dense/lu/lu_complete.h"

#include <algorithm>

#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

/// Columns of a block.
constexpr int kStrip = 32;

/// An element that may become the pivot.
template <class T>
struct Element {
    T size;
    int row, col;

    /// The larger one; of equals the first column by column.
    TL_D void improve(const Element& other) {
        bool is_before = other.col < col || (other.col == col && other.row < row);
        if (other.size > size || (other.size == size && is_before)) *this = other;
    }
    TL_D static Element none() { return {T(-1), 1 << 30, 1 << 30}; }
};

/// Leaves the largest element of a block's threads in shared[0].
template <class T>
TL_D void reduce_elements(const TileBlock& block, Element<T>* shared, const Element<T>& own) {
    shared[block.rank] = own;
    block.sync();
    for (std::uint32_t left = block.size / 2; left > 0; left /= 2) {
        if (block.rank < left) shared[block.rank].improve(shared[block.rank + left]);
        block.sync();
    }
}

struct CompleteState {
    int rank;   ///< steps that had a pivot
    int ended;  ///< 1: nothing above the tolerance is left
};

template <class T>
struct ChooseElement {
    struct Shared {
        Element<T> best[kTile];
    };
    MatrixView<T> a;
    int k;
    T tolerance;
    const Element<T>* candidates;
    int n_candidates;
    CompleteState* state;
    View<int> rows, columns;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        if (state->ended) return;
        auto own = Element<T>::none();
        auto rank = static_cast<int>(block.rank), size = static_cast<int>(block.size);
        for (int i = rank; i < n_candidates; i += size) own.improve(candidates[i]);
        reduce_elements(block, shared.best, own);
        auto best = shared.best[0];
        bool found = best.size > tolerance;
        // Every thread has read the state.
        if (rank == 0) {
            if (found) {
                state->rank = k + 1;
                rows[static_cast<std::size_t>(k)] = best.row;
                columns[static_cast<std::size_t>(k)] = best.col;
            } else {
                state->ended = 1;
            }
        }
        if (!found) return;
        if (best.row != k)
            for (int j = rank; j < a.cols; j += size) exchange(a(k, j), a(best.row, j));
        block.sync();
        if (best.col != k)
            for (int i = rank; i < a.rows; i += size) exchange(a(i, k), a(i, best.col));
        block.sync();
        T pivot = a(k, k);
        for (int i = k + 1 + rank; i < a.rows; i += size) a(i, k) /= pivot;
    }

    TL_D static void exchange(T& x, T& y) {
        T value = x;
        x = y;
        y = value;
    }
};

template <class T>
struct SubtractProducts {
    struct Shared {
        Element<T> best[kTile];
    };
    MatrixView<T> a;
    int k;         ///< the step; -1: only candidates are found
    int searched;  ///< columns from here on give no candidates
    int n_tiles;
    const CompleteState* state;
    Element<T>* candidates;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        if (state->ended) return;
        int first = k + 1;
        int strip = static_cast<int>(block.index) / n_tiles;
        TileRows rows(block, block.index % static_cast<std::uint32_t>(n_tiles), first, a.rows);
        int begin = first + strip * kStrip;
        int end = begin + kStrip < a.cols ? begin + kStrip : a.cols;
        auto best = Element<T>::none();
        if (rows.count > 0)
            for (int j = begin; j < end; ++j) {
                T* x = a.col(j) + rows.first;
                T largest = k < 0 ? largest_of(x, rows.count)
                                  : subtract(x, a.col(k) + rows.first, a(k, j), rows.count);
                if (j >= searched || !(largest > best.size)) continue;
                int q = 0;
                while (q + 1 < rows.count && !(x[q] == largest || x[q] == -largest)) ++q;
                best = {largest, rows.first + q, j};
            }
        reduce_elements(block, shared.best, best);
        if (block.rank == 0) candidates[block.index] = shared.best[0];
    }

    TL_D static T largest_of(const T* x, int count) {
        T largest = -1;
#if !defined(__CUDACC__)
#pragma omp simd reduction(max : largest)
#endif
        for (int q = 0; q < count; ++q) {
            T size = x[q] < 0 ? -x[q] : x[q];
            largest = size > largest ? size : largest;
        }
        return largest;
    }

    /// Subtracts l times `factor`, and returns the largest magnitude that is left.
    TL_D static T subtract(T* x, const T* l, T factor, int count) {
        T largest = -1;
#if !defined(__CUDACC__)
#pragma omp simd reduction(max : largest)
#endif
        for (int q = 0; q < count; ++q) {
            T value = x[q] - l[q] * factor;
            x[q] = value;
            T size = value < 0 ? -value : value;
            largest = size > largest ? size : largest;
        }
        return largest;
    }
};

/// How many blocks share what is left before step k.
template <class T>
std::uint32_t blocks_of_rest(MatrixView<T> a, int k) {
    auto strips = static_cast<std::uint32_t>((a.cols - k + kStrip - 1) / kStrip);
    return tile_count(a.rows - k) * strips;
}

}  // namespace

template <class T>
int complete_steps(Stream& stream, MatrixView<T> a, int searched, T tolerance, View<int> rows,
                   View<int> columns, SolverRun& run) {
    int steps = std::min(a.rows, searched);
    if (steps == 0) return 0;
    DeviceArray<Element<T>> candidates(stream, blocks_of_rest(a, 0));
    DeviceArray<CompleteState> state(stream, 1);
    state.fill_zero(stream);
    // The host asks now and then whether the rest is zero, and reports what is done.
    constexpr int kAsk = 64;
    for (int k = -1; k < steps; ++k) {
        if (k >= 0)
            launch_blocks<kTile>(stream, "choose element", 1,
                                 ChooseElement<T>{a, k, tolerance, candidates.data(),
                                                  static_cast<int>(blocks_of_rest(a, k)),
                                                  state.data(), rows, columns});
        if (auto blocks = blocks_of_rest(a, k + 1); blocks > 0)
            launch_blocks<kTile>(
                stream, "subtract products", blocks,
                SubtractProducts<T>{a, k, searched, static_cast<int>(tile_count(a.rows - k - 1)),
                                    state.data(), candidates.data()});
        if (k % kAsk != kAsk - 1) continue;
        if (state.download(stream)[0].ended) break;
        double left = 1 - static_cast<double>(k + 1) / steps;
        run.report(1 - left * left * left);
    }
    return state.download(stream)[0].rank;
}

template int complete_steps(Stream&, MatrixView<float>, int, float, View<int>, View<int>,
                            SolverRun&);
template int complete_steps(Stream&, MatrixView<double>, int, double, View<int>, View<int>,
                            SolverRun&);

TL_DEVICE_END
