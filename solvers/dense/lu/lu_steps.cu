// Panel factorisation with two launches per column. In the first, one block selects the pivot among
// the candidates of all blocks and exchanges the rows. In the second, every block, which has a tile
// of rows, eliminates the column and finds its candidate for the next one.
#include "solvers/dense/lu/lu_steps.h"

#include <cmath>

#include "solvers/dense/complex.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

/// A row that may become the pivot. `norm` is that of a pair, see pair_norm().
template <class Real>
struct Candidate {
    Real size;
    int row;
    Real norm;
    int pair;  ///< the first row of the pair

    /// The larger one; the upper one of equals.
    TL_D void improve(const Candidate& other) {
        if (other.size > size || (other.size == size && other.row < row)) {
            size = other.size;
            row = other.row;
        }
        if (other.norm > norm || (other.norm == norm && other.pair < pair)) {
            norm = other.norm;
            pair = other.pair;
        }
    }
    TL_D static Candidate none() { return {Real(-1), 1 << 30, Real(0), 1 << 30}; }
};

template <class T>
TL_D T magnitude(T value) {
    return value < 0 ? -value : value;
}
/// The size by which LAPACK chooses complex pivots.
template <class T>
TL_D T magnitude(Complex<T> value) {
    return abs1(value);
}

/// The norm of a pair of rows [a b; c d]: the harmonic sum or the geometric mean of the pivots that
/// it would give, 0 where there are not two.
template <class T>
TL_D T pair_norm(Pivoting pivoting, T a, T b, T c, T d) {
    if (a == T(0)) return T(0);
    T first = magnitude(a), second = magnitude(d - c / a * b);
    // Neither the product nor the sum of the two may overflow.
    T small = first < second ? first : second, large = first < second ? second : first;
    if (!(small > T(0) && small + T(0) == small)) return T(0);
    using std::sqrt;
    return pivoting == Pivoting::pairs ? small / (T(1) + small / large) : sqrt(small) * sqrt(large);
}

template <class T>
struct StepState {
    int pair_row;  ///< the pivot of the second column of a pair; -1: not chosen yet
};

template <class T>
struct ChooseRow {
    struct Shared {
        Candidate<RealOf<T>> best[kTile];
        int row;
    };
    MatrixView<T> a;
    int first, width, k;  ///< column first + k is eliminated next
    Pivoting pivoting;
    const Candidate<RealOf<T>>* candidates;
    int n_candidates;
    StepState<T>* state;
    View<int> swaps;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        auto best = Candidate<RealOf<T>>::none();
        for (int i = static_cast<int>(block.rank); i < n_candidates;
             i += static_cast<int>(block.size))
            best.improve(candidates[i]);
        shared.best[block.rank] = best;
        block.sync();
        if (block.rank == 0) {
            for (std::uint32_t t = 1; t < block.size; ++t) best.improve(shared.best[t]);
            int row = best.row;
            bool second = chooses_pairs(pivoting) && k % 2 == 1;
            if (second && state->pair_row >= 0) row = state->pair_row;
            state->pair_row = -1;
            if (chooses_pairs(pivoting) && !second && best.norm > 0) {
                row = best.pair;
                state->pair_row = best.pair + 1;
            }
            shared.row = row;
            swaps[static_cast<std::size_t>(first + k)] = row;
        }
        block.sync();
        int row = shared.row, top = first + k;
        if (row == top) return;
        for (int j = static_cast<int>(block.rank); j < width; j += static_cast<int>(block.size)) {
            T value = a(top, first + j);
            a(top, first + j) = a(row, first + j);
            a(row, first + j) = value;
        }
    }
};

template <class T>
struct EliminateTile {
    using Real = RealOf<T>;
    struct Shared {
        Candidate<Real> best[kTile];
    };
    MatrixView<T> a;
    int first, width, k;  ///< column first + k is eliminated; -1: only candidates are found
    Pivoting pivoting;
    Candidate<Real>* candidates;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        // Pairs of rows lie in one tile, since `first` and tiles are even.
        TileRows rows(block, block.index, first, a.rows);
        if (k >= 0) eliminate(rows);
        block.sync();
        int column = k + 1;
        if (column == width) return;
        auto best = Candidate<Real>::none();
        for (int q = 0; q < rows.count; ++q) {
            int i = rows.first + q;
            if (i < first + column) continue;
            T x = a(i, first + column);
            Candidate<Real> own{magnitude(x), i, Real(0), 1 << 30};
            // NaN, from an overflow, is chosen at once.
            if (!(x == x)) own.size = Real(1) / Real(0);
            if constexpr (!kIsComplex<T>) {
                bool pair = chooses_pairs(pivoting) && column % 2 == 0 && (i - first) % 2 == 0 &&
                            i + 1 < a.rows && column + 1 < width;
                if (pair) {
                    own.norm = pair_norm(pivoting, x, a(i, first + column + 1),
                                         a(i + 1, first + column), a(i + 1, first + column + 1));
                    own.pair = i;
                }
            }
            best.improve(own);
        }
        shared.best[block.rank] = best;
        block.sync();
        if (block.rank != 0) return;
        for (std::uint32_t t = 1; t < block.size; ++t) best.improve(shared.best[t]);
        candidates[block.index] = best;
    }

    TL_D void eliminate(const TileRows& rows) const {
        int top = first + k;
        T pivot = a(top, top);
        if (pivot == T(0)) return;
        int skipped = top + 1 - rows.first;
        int begin = skipped > 0 ? skipped : 0;
        if (begin >= rows.count) return;
        T* l = a.col(top) + rows.first;
        for (int q = begin; q < rows.count; ++q) l[q] = l[q] / pivot;
        for (int j = k + 1; j < width; ++j) {
            T factor = a(top, first + j);
            T* to = a.col(first + j) + rows.first;
            for (int q = begin; q < rows.count; ++q) to[q] -= l[q] * factor;
        }
    }
};

}  // namespace

template <class T>
void factorise_by_steps(Stream& stream, MatrixView<T> a, int first, int width, Pivoting pivoting,
                        View<int> swaps) {
    auto n_tiles = tile_count(a.rows - first);
    DeviceArray<Candidate<RealOf<T>>> candidates(stream, n_tiles);
    DeviceArray<StepState<T>> state(stream, 1);
    // Only read by the second column of a pair, after the first has set it.
    state.fill_zero(stream);
    for (int k = -1; k < width; ++k) {
        if (k >= 0)
            launch_blocks<kTile>(stream, "choose row", 1,
                                 ChooseRow<T>{a, first, width, k, pivoting, candidates.data(),
                                              static_cast<int>(n_tiles), state.data(), swaps});
        launch_blocks<kTile>(stream, "eliminate column", n_tiles,
                             EliminateTile<T>{a, first, width, k, pivoting, candidates.data()});
    }
}

template void factorise_by_steps(Stream&, MatrixView<float>, int, int, Pivoting, View<int>);
template void factorise_by_steps(Stream&, MatrixView<double>, int, int, Pivoting, View<int>);
template void factorise_by_steps(Stream&, MatrixView<Complex<float>>, int, int, Pivoting,
                                 View<int>);
template void factorise_by_steps(Stream&, MatrixView<Complex<double>>, int, int, Pivoting,
                                 View<int>);

TL_DEVICE_END
