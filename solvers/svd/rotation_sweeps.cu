// A thread (on the CPU: a vector lane) keeps a window of one row's elements in registers: every
// step loads one element, applies one rotation of every sweep, and stores one element.
#include "solvers/svd/rotation_sweeps.h"

#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

/// Few rows per block, so that a matrix of some thousand rows still fills a GPU.
constexpr int kSweepRows = 32;
using SweepBlock = Block<kSweepRows>;
constexpr int kRowsEach = kSweepRows / static_cast<int>(SweepBlock::size);

template <class T>
struct Sweeps {
    using Shared = NoShared;
    MatrixView<T> x, y;
    const RotationPair<T>* x_rotations;
    const RotationPair<T>* y_rotations;
    int first, last;
    bool forward;
    int x_tiles;

    TL_D void operator()(const SweepBlock& block, Shared&) const {
        int tile = static_cast<int>(block.index);
        bool is_x = tile < x_tiles;
        MatrixView<T> a = x;
        if (!is_x) a = y;
        int row =
            (is_x ? tile : tile - x_tiles) * kSweepRows + static_cast<int>(block.rank) * kRowsEach;
        int count = a.rows - row < kRowsEach ? a.rows - row : kRowsEach;
        if (count <= 0) return;
        run(a, row, count, is_x ? x_rotations : y_rotations);
    }

    /// The column at position `step` in the wavefront's order of columns first .. last.
    [[nodiscard]] TL_D int column(int step) const { return forward ? first + step : last - step; }

    TL_D void run(const MatrixView<T>& a, int row, int count,
                  const RotationPair<T>* rotations) const {
        int n_rotations = last - first;
        // window[w] is the element of the column that was loaded w steps ago.
        T window[kSweepsPerPass + 1][kRowsEach];
        TL_FOR_ROWS(q, count) window[0][q] = a(row + q, column(0));
        for (int step = 0; step < n_rotations + kSweepsPerPass; ++step) {
#pragma unroll
            for (int w = kSweepsPerPass; w > 0; --w)
                TL_FOR_ROWS(q, count) window[w][q] = window[w - 1][q];
            if (step < n_rotations)
                TL_FOR_ROWS(q, count) window[0][q] = a(row + q, column(step + 1));
#pragma unroll
            for (int s = 0; s < kSweepsPerPass; ++s) {
                int k = step - s;  // rotation of columns k and k + 1 in the wavefront's order
                if (k < 0 || k >= n_rotations) continue;
                int j = forward ? k : n_rotations - 1 - k;
                RotationPair<T> rotation = rotations[j * kSweepsPerPass + s];
                // In a forward sweep, the older element belongs to the lower column.
                T sine = forward ? rotation.s : -rotation.s;
                TL_FOR_ROWS(q, count) {
                    T older = window[s + 1][q], newer = window[s][q];
                    window[s + 1][q] = rotation.c * older + sine * newer;
                    window[s][q] = rotation.c * newer - sine * older;
                }
            }
            int done = step + 1 - kSweepsPerPass;
            if (done >= 0 && done <= n_rotations) TL_FOR_ROWS(q, count)
            a(row + q, column(done)) = window[kSweepsPerPass][q];
        }
    }
};

}  // namespace

template <class T>
void apply_sweeps(Stream& stream, MatrixView<T> x, View<const RotationPair<T>> x_rotations,
                  MatrixView<T> y, View<const RotationPair<T>> y_rotations, int first, int last,
                  bool forward) {
    int x_tiles = (x.rows + kSweepRows - 1) / kSweepRows;
    int y_tiles = (y.rows + kSweepRows - 1) / kSweepRows;
    launch_blocks<kSweepRows>(
        stream, "rotation sweeps", static_cast<std::uint32_t>(x_tiles + y_tiles),
        Sweeps<T>{x, y, x_rotations.data, y_rotations.data, first, last, forward, x_tiles});
}

template void apply_sweeps(Stream&, MatrixView<float>, View<const RotationPair<float>>,
                           MatrixView<float>, View<const RotationPair<float>>, int, int, bool);
template void apply_sweeps(Stream&, MatrixView<double>, View<const RotationPair<double>>,
                           MatrixView<double>, View<const RotationPair<double>>, int, int, bool);

TL_DEVICE_END
