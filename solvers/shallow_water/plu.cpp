#include "solvers/shallow_water/plu.h"

#include <algorithm>

#include "solvers/dense/linear/tridiagonal_matrices.h"
#include "solvers/shallow_water/adi.h"
#include "solvers/shallow_water/plu_share.h"

namespace tl {
namespace {

/// The number of lines of n cells, of m, whose matrices are on the device at once: a GPU works on
/// all of them at the same time, 512 of the longest; a core of the CPU on one after the other.
int lines_at_once(int n, int m, DeviceKind kind) {
    const int most_elements = kind == DeviceKind::cuda ? 1 << 27 : 1 << 24;
    return std::clamp(most_elements / (n * n), 1, m);
}

template <class T>
void solve_densely_as(Stream& stream, PluSystems& systems) {
    auto n = static_cast<std::size_t>(systems.n);
    int most = lines_at_once(systems.n, systems.m, stream.device().kind());
    std::vector<T> diagonals, beside, sides;
    for (int first = 0; first < systems.m; first += most) {
        int count = std::min(most, systems.m - first);
        for (auto* numbers : {&diagonals, &beside, &sides})
            numbers->resize(n * static_cast<std::size_t>(count));
        systems.write_diagonals(first, count, diagonals.data());
        systems.write_beside(first, count, beside.data());
        systems.write_sides(first, count, sides.data());
        Matrix<T> d(stream, systems.n, count), e(stream, systems.n, count),
            b(stream, systems.n, count);
        d.upload(stream, diagonals);
        e.upload(stream, beside);
        b.upload(stream, sides);
        auto a = tridiagonal_matrices<T>(stream, std::as_const(d).view(), std::as_const(e).view());
        SolverRun run;
        auto x = solve_each<T>(stream, std::as_const(a).view(), std::as_const(b).view(), run);
        systems.set_levels(first, count, x.download(stream).data());
    }
}

}  // namespace

std::size_t plu_bytes(int nx, int ny, DeviceKind kind) {
    auto matrices = [kind](int n, int m) {
        return static_cast<std::size_t>(lines_at_once(n, m, kind)) * static_cast<std::size_t>(n) *
               static_cast<std::size_t>(n);
    };
    // Given and factorised.
    return 2 * sizeof(double) * std::max(matrices(nx, ny), matrices(ny, nx));
}

template <class T>
void PluSystems::write_diagonals(int first, int count, T* to) const {
    auto size = static_cast<std::size_t>(n);
    for (int k = 0; k < count; ++k, to += size) {
        const double* a = faces.data() + static_cast<std::size_t>(first + k) * (size + 1);
        for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<T>(1 + a[i] + a[i + 1]);
    }
}

template <class T>
void PluSystems::write_beside(int first, int count, T* to) const {
    auto size = static_cast<std::size_t>(n);
    for (int k = 0; k < count; ++k, to += size) {
        const double* a = faces.data() + static_cast<std::size_t>(first + k) * (size + 1);
        for (std::size_t i = 0; i + 1 < size; ++i) to[i] = static_cast<T>(-a[i + 1]);
        to[size - 1] = ring ? static_cast<T>(-a[0]) : T(0);
    }
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

#define TL_INSTANTIATE(T)                                          \
    template void PluSystems::write_diagonals(int, int, T*) const; \
    template void PluSystems::write_beside(int, int, T*) const;    \
    template void PluSystems::write_sides(int, int, T*) const;     \
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
