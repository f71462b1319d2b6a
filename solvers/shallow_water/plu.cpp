#include "solvers/shallow_water/plu.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "solvers/shallow_water/adi.h"
#include "solvers/shallow_water/plu_share.h"

namespace tl {
namespace {

/// The number of lines of n cells, of m, whose matrices are on the device at once.
int lines_at_once(int n, int m) {
    constexpr int kMostElements = 1 << 24;
    return std::clamp(kMostElements / (n * n), 1, m);
}

template <class T>
void solve_densely_as(Stream& stream, PluSystems& systems) {
    auto n = static_cast<std::size_t>(systems.n);
    int most = lines_at_once(systems.n, systems.m);
    std::vector<T> matrices, sides;
    for (int first = 0; first < systems.m; first += most) {
        int count = std::min(most, systems.m - first);
        matrices.resize(n * n * static_cast<std::size_t>(count));
        sides.resize(n * static_cast<std::size_t>(count));
        systems.write_matrices(first, count, matrices.data());
        systems.write_sides(first, count, sides.data());
        Matrix<T> a(stream, systems.n, systems.n * count), b(stream, systems.n, count);
        a.upload(stream, matrices);
        b.upload(stream, sides);
        SolverRun run;
        auto x = solve_each<T>(stream, std::as_const(a).view(), std::as_const(b).view(), run);
        systems.set_levels(first, count, x.download(stream).data());
    }
}

}  // namespace

std::size_t plu_bytes(int nx, int ny) {
    auto matrices = [](int n, int m) {
        return static_cast<std::size_t>(lines_at_once(n, m)) * static_cast<std::size_t>(n) *
               static_cast<std::size_t>(n);
    };
    // Given and factorised.
    return 2 * sizeof(double) * std::max(matrices(nx, ny), matrices(ny, nx));
}

template <class T>
void PluSystems::write_matrices(int first, int count, T* to) const {
    auto size = static_cast<std::size_t>(n);
    tbb::parallel_for(0, count, [&](int k) {
        T* matrix = to + static_cast<std::size_t>(k) * size * size;
        const double* a = faces.data() + static_cast<std::size_t>(first + k) * (size + 1);
        std::fill_n(matrix, size * size, T(0));
        for (std::size_t i = 0; i < size; ++i) {
            matrix[i * size + i] = static_cast<T>(1 + a[i] + a[i + 1]);
            if (i + 1 < size)
                matrix[i * size + i + 1] = matrix[(i + 1) * size + i] = static_cast<T>(-a[i + 1]);
        }
        if (ring) matrix[size - 1] = matrix[(size - 1) * size] = static_cast<T>(-a[0]);
    });
}

template <class T>
void PluSystems::write_sides(int first, int count, T* to) const {
    auto begin = static_cast<std::size_t>(first) * static_cast<std::size_t>(n);
    auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<T>(right[begin + i]);
}

template <class T>
void PluSystems::set_levels(int first, int count, const T* from) {
    auto begin = static_cast<std::size_t>(first) * static_cast<std::size_t>(n);
    auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < size; ++i) levels[begin + i] = double(from[i]);
}

#define TL_INSTANTIATE(T)                                         \
    template void PluSystems::write_matrices(int, int, T*) const; \
    template void PluSystems::write_sides(int, int, T*) const;    \
    template void PluSystems::set_levels(int, int, const T*);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

void solve_densely(Stream& stream, PluSystems& systems, bool single) {
    if (single)
        solve_densely_as<float>(stream, systems);
    else
        solve_densely_as<double>(stream, systems);
}

void plu_half_step(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                   bool single, PluShare* share) {
    auto cells = static_cast<std::size_t>(lines.n) * static_cast<std::size_t>(lines.m);
    DeviceArray<double> faces(stream, cells + static_cast<std::size_t>(lines.m));
    DeviceArray<double> right(stream, cells);
    TL_DISPATCH(stream.device(), adi_systems(stream, lines, faces.data(), right.data()));
    PluSystems systems{lines.n,
                       lines.m,
                       lines.border == WaterBorder::periodic,
                       faces.download(stream),
                       right.download(stream),
                       std::vector<double>(cells)};
    if (share)
        share->solve(systems, single);
    else
        solve_densely(stream, systems, single);
    right.assign(stream, systems.levels);
    TL_DISPATCH(stream.device(), adi_from_solution(stream, lines, right.data(), z_new, w_new));
}

}  // namespace tl
