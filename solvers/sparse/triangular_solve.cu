#include "solvers/sparse/triangular_solve.h"

#include "core/device/block.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kLevelThreads = 512;
/// Rows of a task on the CPU.
constexpr std::uint32_t kLevelGrain = 512;

template <class T>
TL_D TL_ALWAYS_INLINE void solve_row(const TriangleView<T>& t, int position, View<T> x) {
    int row = t.rows[position];
    T sum = x.data[row];
    for (int k = t.starts[position]; k < t.starts[position + 1]; ++k)
        sum -= t.values[k] * x.data[t.columns[k]];
    x.data[row] = t.inverse_diagonal ? sum * t.inverse_diagonal[row] : sum;
}

template <class T>
struct SolveLevels {
    using Shared = NoShared;
    TriangleView<T> triangle;
    LevelRun levels;
    View<T> x;

    template <class B>
    TL_D void operator()(const B& block, Shared&) const {
        for (int level = levels.first; level < levels.end; ++level) {
            int end = triangle.level_starts[level + 1];
            for (int k = triangle.level_starts[level] + int(block.rank); k < end; k += int(B::size))
                solve_row(triangle, k, x);
            block.sync();
        }
    }
};

}  // namespace

template <class T>
void solve_level(Stream& stream, const TriangleView<T>& triangle, int first, int n_rows,
                 View<T> x) {
    TriangleView<T> t = triangle;
    parallel_for(
        stream, "triangular level", static_cast<std::uint32_t>(n_rows),
        TL_LAMBDA(std::uint32_t i) { solve_row(t, first + int(i), x); }, kLevelGrain);
}

template <class T>
void solve_levels(Stream& stream, const TriangleView<T>& triangle, LevelRun levels, View<T> x) {
    launch_blocks<kLevelThreads>(stream, "triangular levels", 1,
                                 SolveLevels<T>{triangle, levels, x});
}

#define TL_INSTANTIATE(T)                                                          \
    template void solve_level(Stream&, const TriangleView<T>&, int, int, View<T>); \
    template void solve_levels(Stream&, const TriangleView<T>&, LevelRun, View<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
