#include "solvers/dense/lu/lu_blocked.h"

#include <algorithm>

#if defined(__CUDACC__)
#include "solvers/dense/lu/lu_panel.h"
#endif

TL_DEVICE_BEGIN

namespace {

/// Work on one of the two streams.
struct Lane {
    Stream& stream;
    std::unique_ptr<Blas> blas;
    std::unique_ptr<Event> done;

    Lane(Stream& stream, bool tf32)
        : stream(stream), blas(make_blas(stream)), done(stream.device().create_event()) {
        if (tf32) blas->allow_tf32();
    }
};

/// The wider half, in whole leaves, of a block of columns.
int half_of(int width, int leaf) {
    int n_leaves = (width + leaf - 1) / leaf;
    return (n_leaves + 1) / 2 * leaf;
}

template <class T>
class Factorisation {
  public:
    Factorisation(MatrixView<T> a, View<int> swaps, RowMoves moves, Pivoting pivoting)
        : a_(a), swaps_(swaps), moves_(moves), pivoting_(pivoting) {}

    /// Factorises the columns [first, first + width) below row `first` by halves.
    void factorise(Blas& blas, int first, int width) const {
        if (width <= moves_.leaf) return factorise_leaf(blas.stream(), first);
        int half = half_of(width, moves_.leaf), rest = width - half;
        factorise(blas, first, half);
        update(blas, first, half, {0, first + half, rest});
        factorise(blas, first + half, rest);
        move_rows<T>(blas.stream(), a_, moves_, first + half, rest, {0, first, half, false});
    }

    /// Moves rows by the block [first, first + width) and eliminates it from the columns at right.
    void update(Blas& blas, int first, int width, MovedColumns columns) const {
        columns.solves = width <= moves_.leaf;
        move_rows<T>(blas.stream(), a_, moves_, first, width, columns);
        if (columns.n_right == 0) return;
        auto u = a_.block(first, columns.right, width, columns.n_right);
        if (!columns.solves)
            solve_by_leaves<T>(blas, a_.block(first, first, width, width), moves_.leaf, u);
        int below = first + width;
        blas.gemm(Transpose::no, Transpose::no, T(-1),
                  a_.block(below, first, a_.rows - below, width), u, T(1),
                  a_.block(below, columns.right, a_.rows - below, columns.n_right));
    }

  private:
    void factorise_leaf(Stream& stream, int first) const {
        int width = moves_.width(first);
#if defined(__CUDACC__)
        if (pivoting_ == Pivoting::partial &&
            factorise_in_cluster<T>(stream, a_, swaps_, moves_, first))
            return;
#endif
        factorise_by_steps<T>(stream, a_, first, width, pivoting_, swaps_);
        moves_of_swaps(stream, swaps_, moves_, first);
    }

    MatrixView<T> a_;
    View<int> swaps_;
    RowMoves moves_;
    Pivoting pivoting_;
};

}  // namespace

template <class T>
void factorise_by_blocks(Stream& stream, MatrixView<T> a, View<int> swaps, const LuBlocks& asked,
                         const std::function<void(double)>& progress) {
    int steps = std::min(a.rows, a.cols);
    if (steps == 0) return;
    auto blocks = asked.chosen(steps, sizeof(T));
    auto urgent = stream.device().create_urgent_stream();
    DeviceArray<int> memory(stream, std::size_t(4) * steps);
    Factorisation<T> part(a, swaps, {memory.data(), blocks.leaf, steps}, blocks.pivoting);
    Lane rest(stream, blocks.tf32), panels(*urgent, blocks.tf32);
    auto pass = [](Lane& from, Lane& to) {
        from.done->record(from.stream);
        from.done->hold(to.stream);
    };
    Lane& first_lane = blocks.look_ahead ? panels : rest;
    pass(rest, panels);
    int width = std::min(blocks.block, steps);
    part.factorise(*first_lane.blas, 0, width);
    for (int first = 0; first < steps; first += width) {
        width = std::min(blocks.block, steps - first);
        int next = first + width, next_width = std::min(blocks.block, steps - next);
        int ahead = blocks.look_ahead ? next_width : 0;
        // The rest waits for the panel, and the next panel for the update before this one.
        if (blocks.look_ahead) {
            rest.done->record(rest.stream);
            pass(panels, rest);
            rest.done->hold(panels.stream);
        }
        if (ahead > 0) {
            part.update(*panels.blas, first, width, {0, next, ahead});
            part.factorise(*panels.blas, next, ahead);
        }
        part.update(*rest.blas, first, width, {first, next + ahead, a.cols - next - ahead});
        if (ahead == 0 && next_width > 0) part.factorise(*rest.blas, next, next_width);
        double left = 1 - static_cast<double>(next) / steps;
        progress(1 - left * left * left);
    }
    pass(panels, rest);
    // The urgent stream and its handles end with this function.
    urgent->synchronize();
}

template <class T>
void factorise_panel(Blas& blas, MatrixView<T> panel, View<int> swaps, RowMoves moves) {
    Factorisation<T>(panel, swaps, moves, Pivoting::partial).factorise(blas, 0, panel.cols);
}

template <class T>
void solve_by_leaves(Blas& blas, MatrixView<const T> l, int leaf, MatrixView<T> b) {
    if (l.cols <= leaf) return solve_by_panel<T>(blas.stream(), l, b);
    int half = half_of(l.cols, leaf), rest = l.cols - half;
    auto upper = b.block(0, 0, half, b.cols), lower = b.block(half, 0, rest, b.cols);
    solve_by_leaves<T>(blas, l.block(0, 0, half, half), leaf, upper);
    blas.gemm(Transpose::no, Transpose::no, T(-1), l.block(half, 0, rest, half), upper, T(1),
              lower);
    solve_by_leaves<T>(blas, l.block(half, half, rest, rest), leaf, lower);
}

template void factorise_by_blocks(Stream&, MatrixView<float>, View<int>, const LuBlocks&,
                                  const std::function<void(double)>&);
template void factorise_by_blocks(Stream&, MatrixView<double>, View<int>, const LuBlocks&,
                                  const std::function<void(double)>&);
template void factorise_panel(Blas&, MatrixView<float>, View<int>, RowMoves);
template void factorise_panel(Blas&, MatrixView<double>, View<int>, RowMoves);
template void solve_by_leaves(Blas&, MatrixView<const float>, int, MatrixView<float>);
template void solve_by_leaves(Blas&, MatrixView<const double>, int, MatrixView<double>);

TL_DEVICE_END
