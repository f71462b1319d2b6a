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

template <class T>
class Factorisation {
  public:
    Factorisation(MatrixView<T> a, View<int> swaps, RowMoves moves, Pivoting pivoting)
        : a_(a), swaps_(swaps), moves_(moves), pivoting_(pivoting) {}

    /// Factorises the columns [first, first + width) below row `first` by halves.
    void factorise(Lane& lane, int first, int width) const {
        if (width <= moves_.leaf) return factorise_leaf(lane.stream, first);
        int half = half_of(width), rest = width - half;
        factorise(lane, first, half);
        update(lane, first, half, {0, first + half, rest});
        factorise(lane, first + half, rest);
        move_rows<T>(lane.stream, a_, moves_, first + half, rest, {0, first, half, false});
    }

    /// Moves rows by the block [first, first + width) and eliminates it from the columns at right.
    void update(Lane& lane, int first, int width, MovedColumns columns) const {
        columns.solves = width <= moves_.leaf;
        move_rows<T>(lane.stream, a_, moves_, first, width, columns);
        if (columns.n_right == 0) return;
        if (!columns.solves) solve(lane, first, width, columns.right, columns.n_right);
        int below = first + width;
        subtract(lane, below, a_.rows - below, first, width, columns.right, columns.n_right);
    }

  private:
    [[nodiscard]] int half_of(int width) const {
        int n_leaves = (width + moves_.leaf - 1) / moves_.leaf;
        return (n_leaves + 1) / 2 * moves_.leaf;
    }

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

    void solve(Lane& lane, int first, int width, int column, int n) const {
        if (width <= moves_.leaf)
            return solve_by_panel<T>(lane.stream, a_, first, width, column, n);
        int half = half_of(width);
        solve(lane, first, half, column, n);
        subtract(lane, first + half, width - half, first, half, column, n);
        solve(lane, first + half, width - half, column, n);
    }

    /// Subtracts L U, whose inner extent is the block, from `rows` rows of the columns at `column`.
    void subtract(Lane& lane, int row, int rows, int first, int width, int column, int n) const {
        lane.blas->gemm(Transpose::no, Transpose::no, T(-1), a_.block(row, first, rows, width),
                        a_.block(first, column, width, n), T(1), a_.block(row, column, rows, n));
    }

    MatrixView<T> a_;
    View<int> swaps_;
    RowMoves moves_;
    Pivoting pivoting_;
};

/// Fastest widths that were measured on an H200: narrow panels where panels take most of the time,
/// wide blocks where products do.
template <class T>
LuBlocks chosen_widths(LuBlocks blocks, int steps) {
    constexpr int kSmall = 6144, kMiddle = 12288;
    bool is_narrow = steps <= kSmall || (steps <= kMiddle && sizeof(T) == 8);
    if (blocks.leaf == 0) blocks.leaf = is_narrow ? 64 : 128;
    if (blocks.block == 0) {
        int wide = steps <= kMiddle ? 128 : 2 * blocks.leaf;
        blocks.block = steps <= kSmall ? blocks.leaf : wide;
    }
    blocks.block = std::max(blocks.block / blocks.leaf, 1) * blocks.leaf;
    return blocks;
}

}  // namespace

template <class T>
void factorise_by_blocks(Stream& stream, MatrixView<T> a, View<int> swaps, const LuBlocks& asked,
                         const std::function<void(double)>& progress) {
    int steps = std::min(a.rows, a.cols);
    if (steps == 0) return;
    auto blocks = chosen_widths<T>(asked, steps);
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
    part.factorise(first_lane, 0, width);
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
            part.update(panels, first, width, {0, next, ahead});
            part.factorise(panels, next, ahead);
        }
        part.update(rest, first, width, {first, next + ahead, a.cols - next - ahead});
        if (ahead == 0 && next_width > 0) part.factorise(rest, next, next_width);
        double left = 1 - static_cast<double>(next) / steps;
        progress(1 - left * left * left);
    }
    pass(panels, rest);
    // The urgent stream and its handles end with this function.
    urgent->synchronize();
}

template void factorise_by_blocks(Stream&, MatrixView<float>, View<int>, const LuBlocks&,
                                  const std::function<void(double)>&);
template void factorise_by_blocks(Stream&, MatrixView<double>, View<int>, const LuBlocks&,
                                  const std::function<void(double)>&);

TL_DEVICE_END
