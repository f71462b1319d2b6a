// Loops over the cells of a grid of the conjugate gradients, with sums over all cells that stay on
// the device. Only files compiled for a device include this header.
#pragma once

#include "core/device/block.h"
#include "solvers/shallow_water/pcg.h"

TL_DEVICE_BEGIN

namespace pcg {

inline constexpr int kPcgThreads = 256, kChunk = 1024;

/// Neighbours of a cell in a grid; -1 where there is none.
TL_HD inline int before(int i, int n, bool ring) {
    return i > 0 ? i - 1 : ring ? n - 1 : -1;
}
TL_HD inline int after(int i, int n, bool ring) {
    return i + 1 < n ? i + 1 : ring ? 0 : -1;
}

/// Number of cells of the finest grid in a cell of `grid`.
TL_HD inline float mass_of(const WaterGrid& grid, int i, int j) {
    int x = i << grid.shift, y = j << grid.shift, size = 1 << grid.shift;
    int width = grid.fine_nx - x < size ? grid.fine_nx - x : size;
    int height = grid.fine_ny - y < size ? grid.fine_ny - y : size;
    return float(width) * float(height);
}

/// The sum over a cell's faces of a (x - x_beyond), for x given by at(i, j); beyond borders it is
/// 0.
template <class T, class At>
TL_D TL_ALWAYS_INLINE T spread(const WaterGrid& g, int i, int j, T here, At&& at) {
    int k = i + j * g.pitch;
    int left = before(i, g.nx, g.ring_x), right = after(i, g.nx, g.ring_x);
    int low = before(j, g.ny, g.ring_y), high = after(j, g.ny, g.ring_y);
    return T(g.ax[k]) * (here - (left >= 0 ? at(left, j) : T(0))) +
           T(g.ax[k + 1]) * (here - (right >= 0 ? at(right, j) : T(0))) +
           T(g.ay[k]) * (here - (low >= 0 ? at(i, low) : T(0))) +
           T(g.ay[k + g.pitch]) * (here - (high >= 0 ? at(i, high) : T(0)));
}

/// Memory of a block that adds.
struct SumShared {
    double part[kPcgThreads];
};

/// Called by all threads of a block: the first one gets the sum of their values.
template <class B>
TL_D double sum_of_block(const B& block, SumShared& shared, double value) {
    if (B::size == 1) return value;
    shared.part[block.rank] = value;
    for (std::uint32_t half = B::size / 2; half > 0; half /= 2) {
        block.sync();
        if (block.rank < half) shared.part[block.rank] += shared.part[block.rank + half];
    }
    return shared.part[0];
}

/// Runs cell(i, j), which returns an addend, for all cells of a grid, and writes the sums of
/// blocks.
template <class Cell>
struct OverCells {
    using Shared = SumShared;
    int nx, n_chunks;
    double* partial;  ///< null: no sum is needed
    const PcgScalars* scalars;
    Cell cell;

    template <class B>
    TL_D void operator()(const B& block, SumShared& shared) const {
        if (scalars->done) return;
        int j = static_cast<int>(block.index) / n_chunks;
        int first = static_cast<int>(block.index) % n_chunks * kChunk;
        int end = first + kChunk < nx ? first + kChunk : nx;
        double sum = 0;
        for (int i = first + int(block.rank); i < end; i += int(B::size)) sum += cell(i, j);
        if (!partial) return;
        sum = sum_of_block(block, shared, sum);
        if (block.rank == 0) partial[block.index] = sum;
    }
};

/// Loops over cells, in order on a stream, until the scalars say that the iteration has ended.
struct Run {
    Stream& stream;
    PcgScalars* scalars;
    double* partial;  ///< sums of blocks

    template <class Cell>
    void over(const char* name, const WaterGrid& grid, bool sums, Cell cell) const {
        int n_chunks = (grid.nx + kChunk - 1) / kChunk;
        launch_blocks<kPcgThreads>(
            stream, name, static_cast<std::uint32_t>(n_chunks * grid.ny),
            OverCells<Cell>{grid.nx, n_chunks, sums ? partial : nullptr, scalars, cell});
    }
};

/// Purpose of a sum.
enum class Sum { start, rz, pq, rr, lacks };

/// Adds the sums of blocks and computes the next scalar.
struct Finish {
    using Shared = SumShared;
    Sum kind;
    int n;
    const double* partial;
    PcgScalars* scalars;

    template <class B>
    TL_D void operator()(const B& block, SumShared& shared) const {
        if (kind != Sum::start && scalars->done) return;
        double sum = 0;
        for (int i = int(block.rank); i < n; i += int(B::size)) sum += partial[i];
        sum = sum_of_block(block, shared, sum);
        if (block.rank == 0) take(sum);
    }
    TL_D void take(double sum) const {
        PcgScalars& s = *scalars;
        if (kind == Sum::start) {
            s.rr = s.rr_start = sum;
            s.done = !(sum > 0);
        } else if (kind == Sum::rz) {
            s.beta = s.iterations > 0 && s.rz > 0 ? static_cast<float>(sum / s.rz) : 0.0f;
            s.rz = sum;
        } else if (kind == Sum::pq) {
            s.alpha = sum > 0 ? static_cast<float>(s.rz / sum) : 0.0f;
        } else if (kind == Sum::lacks) {
            ++s.iterations;
            s.done = !(sum > 0) || s.iterations >= s.most;
        } else {
            s.rr = sum;
            ++s.iterations;
            s.done = !(sum > s.tolerance * s.tolerance * s.rr_start) || s.iterations >= s.most;
        }
    }
};

/// Adds the sums that the last loop over `grid` has left, and computes what `kind` says.
inline void finish(const Run& run, const WaterGrid& grid, Sum kind) {
    int n = (grid.nx + kChunk - 1) / kChunk * grid.ny;
    launch_blocks<kPcgThreads>(run.stream, "sum", 1, Finish{kind, n, run.partial, run.scalars});
}

}  // namespace pcg

TL_DEVICE_END
