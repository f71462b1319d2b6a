// Fourier transforms of a kernel on the lattices of two nodes, for all offsets between far nodes of
// equal size.
#pragma once

#include "core/device/parallel_for.h"
#include "solvers/fmm/lattice.h"
#include "solvers/fmm/pair_kernels.h"

TL_DEVICE_BEGIN

namespace pairs {

/// Offsets between far nodes have coordinates of -3 to 3. Up to reflections and the order of axes
/// they are 16.
constexpr int kOffsets = 7 * 7 * 7, kBasicOffsets = 16;

struct BasicOffsets {
    std::uint8_t axes[kBasicOffsets][3];
    std::uint8_t of[4][4][4];  ///< index of a descending triple; kBasicOffsets: near

    constexpr BasicOffsets() : axes{}, of{} {
        std::uint8_t n = 0;
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y)
                for (int z = 0; z < 4; ++z) {
                    bool is_basic = x >= y && y >= z && x >= 2;
                    of[x][y][z] = is_basic ? n : std::uint8_t(kBasicOffsets);
                    if (!is_basic) continue;
                    axes[n][0] = static_cast<std::uint8_t>(x);
                    axes[n][1] = static_cast<std::uint8_t>(y);
                    axes[n][2] = static_cast<std::uint8_t>(z);
                    ++n;
                }
    }
};

template <class Real>
struct ComplexOf {
    Real re, im;
};

/// Frequencies of a chunk: neighbouring lanes or threads have one each.
#if defined(__CUDACC__)
constexpr int kChunk = 64;
#else
constexpr int kChunk = 32;
#endif

/// Frequencies of axes 1 and 2 for one of axis 0: rows of `m` padded to whole lanes, in chunks.
template <class Real>
struct SpectrumSize {
    int p, m, row;

    TL_HD explicit SpectrumSize(LatticeSize size)
        : p(size.p), m(size.m()), row(whole_lanes<Real>(size.m())) {}
    [[nodiscard]] TL_HD std::uint32_t n_chunks() const {
        return static_cast<std::uint32_t>((m * row + kChunk - 1) / kChunk);
    }
};

/// Spectra of the kernel for one frequency of axis 0: those of the basic offsets by reflections and
/// exchange of axes; 0 for near offsets.
template <class Real>
struct KernelSpectra {
    BasicOffsets offsets;
    View<const ComplexOf<Real>> basic;  ///< [offset][frequencies of axes 0, 1, 2]
    SpectrumSize<Real> size;
    int frequency;
    Real* out;

    TL_D void operator()(std::uint32_t i) const {
        const auto in_slab = static_cast<std::uint32_t>(size.m * size.row);
        std::uint32_t offset = i / in_slab, at = i % in_slab;
        int f[3] = {frequency, static_cast<int>(at) / size.row, static_cast<int>(at) % size.row};
        Real* to =
            out + (std::size_t(at / kChunk) * kOffsets + offset) * (2 * kChunk) + at % kChunk;
        int away[3] = {int(offset % 7) - 3, int(offset / 7 % 7) - 3, int(offset / 49) - 3};
        for (int axis = 0; axis < 3; ++axis) {
            if (away[axis] >= 0) continue;
            away[axis] = -away[axis];
            f[axis] = f[axis] == 0 ? 0 : size.m - f[axis];
        }
        auto order = [&](int a, int b) {
            if (away[a] >= away[b]) return;
            int swapped = away[a];
            away[a] = away[b];
            away[b] = swapped;
            swapped = f[a];
            f[a] = f[b];
            f[b] = swapped;
        };
        order(0, 1);
        order(1, 2);
        order(0, 1);
        int of = offsets.of[away[0]][away[1]][away[2]];
        ComplexOf<Real> value{0, 0};
        // Columns from m on are padding.
        if (of < kBasicOffsets && static_cast<int>(at) % size.row < size.m)
            value = basic[((std::size_t(of) * size.m + f[0]) * size.m + f[1]) * size.m + f[2]];
        to[0] = value.re;
        to[kChunk] = value.im;
    }
};

/// The kernel at whole steps along each axis, less than `extent`.
template <class Real, class Kernel>
struct KernelTable {
    Kernel kernel;
    Real square_of_step;
    int extent;
    View<Real> table;

    TL_D void operator()(std::uint32_t i) const {
        int x = static_cast<int>(i) % extent, y = static_cast<int>(i) / extent % extent,
            z = static_cast<int>(i) / (extent * extent);
        Wide<Real> value, slope;
        kernel(Wide<Real>(static_cast<Real>(x * x + y * y + z * z) * square_of_step), value, slope);
        table[i] = lane_of(value, 0);
    }
};

/// Adds up the terms of a transform at frequency f: element a turns by f a / m.
template <class Real>
struct Turning {
    const Real *cosines, *sines;  ///< of the first p turns by 1 / m
    int p, m, f, turn = 0;
    ComplexOf<Real> sum{0, 0};

    TL_D Turning(const LatticeTables<Real>& tables, int f)
        : cosines(tables.cosines + tables.size.p),
          sines(tables.sines + tables.size.p),
          p(tables.size.p),
          m(tables.size.m()),
          f(f) {}
    TL_D void add(ComplexOf<Real> value) {
        Real cosine = cosines[turn < p ? turn : m - turn],
             sine = turn < p ? sines[turn] : -sines[m - turn];
        sum.re += cosine * value.re + sine * value.im;
        sum.im += cosine * value.im - sine * value.re;
        turn += f;
        if (turn >= m) turn -= m;
    }
};

/// Transforms along an axis, whose elements are `stride` apart.
template <class Real>
void transform_axis(Stream& stream, const LatticeTables<Real>& tables,
                    View<const ComplexOf<Real>> from, View<ComplexOf<Real>> to, int stride) {
    const int m = tables.size.m();
    parallel_for(
        stream, "transform of the kernel", static_cast<std::uint32_t>(from.size),
        TL_LAMBDA(std::uint32_t i) {
            int f = static_cast<int>(i) / stride % m;
            const ComplexOf<Real>* line = &from[i - static_cast<std::uint32_t>(f * stride)];
            Turning<Real> turning(tables, f);
            for (int a = 0; a < m; ++a) turning.add(line[a * stride]);
            to[i] = turning.sum;
        });
}

/// Transforms the kernel at the basic offsets of a level along all axes.
template <class Real>
void transform_kernel(Scratch& scratch, const LatticeTables<Real>& tables,
                      const ScaledKernel& scaled, double step, View<ComplexOf<Real>> basic) {
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    const int p = tables.size.p, m = tables.size.m(), steps = tables.size.steps();
    const int extent = 3 * steps + p;  // distances along an axis, in steps: less than that
    auto table = scratch.take<Real>(std::size_t(extent) * extent * extent);
    with_kernel<Real>(scaled, [&](auto kernel) {
        KernelTable<Real, decltype(kernel)> at{kernel, static_cast<Real>(step * step), extent,
                                               table};
        parallel_for(stream, "kernel on the lattice", static_cast<std::uint32_t>(table.size), at);
    });
    auto other = scratch.take<ComplexOf<Real>>(basic.size);
    const BasicOffsets offsets;
    parallel_for(
        stream, "transform of the kernel", static_cast<std::uint32_t>(basic.size),
        TL_LAMBDA(std::uint32_t i) {
            int c = static_cast<int>(i) % m, b = static_cast<int>(i) / m % m,
                f = static_cast<int>(i) / (m * m) % m, o = static_cast<int>(i) / (m * m * m);
            auto at = [=](int axis, int index) {
                int d = offsets.axes[o][axis] * steps + (index < p ? index : index - m);
                return d < 0 ? -d : d;
            };
            const Real* column = &table[(std::size_t(at(2, c)) * extent + at(1, b)) * extent];
            Turning<Real> turning(tables, f);
            for (int a = 0; a < m; ++a) turning.add({column[at(0, a)], Real(0)});
            basic[i] = turning.sum;
        });
    transform_axis<Real>(stream, tables, basic, other, m);
    transform_axis<Real>(stream, tables, other, basic, 1);
}

}  // namespace pairs

TL_DEVICE_END
