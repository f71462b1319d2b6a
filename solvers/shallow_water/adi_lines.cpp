#define TL_DEVICE_CPU 1
// The alternating-direction scheme by whole lines, on a CPU. Several lines are solved at once, in
// memory that stays in a core's cache; the compiler can compute four cells at a time.
#include "solvers/shallow_water/adi_lines.h"

#include <algorithm>
#include <vector>

#include "core/device/parallel_for.h"
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

namespace {

/// The systems of some lines; number (s, k) of line k is at s * step + k * across.
struct LineGroup {
    std::vector<double> memory;
    double *a = nullptr, *e = nullptr, *r = nullptr, *x = nullptr, *right = nullptr;
    int step = 1, across = 1;

    void shape(int n, int n_lines, bool rows) {
        std::size_t size = std::size_t(n + 1) * std::size_t(n_lines);
        if (memory.size() < 5 * size) memory.resize(5 * size);
        double** parts[] = {&a, &e, &r, &x, &right};
        for (int i = 0; i < 5; ++i) *parts[i] = memory.data() + std::size_t(i) * size;
        step = rows ? 1 : n_lines;
        across = rows ? n + 1 : 1;
    }
};

constexpr int kRowsAtOnce = 8, kColumnsAtOnce = 32;

/// A run of faces or cells that are next to each other in memory: `count` from (s, t) on, along
/// the line or across.
template <class Op>
void for_run(int count, Op&& op) {
#pragma omp simd
    for (int i = 0; i < count; ++i) op(i);
}

template <Advection kAdvection, bool kRows>
void line_terms(const WaterLines& lines, LineGroup& group, int line, int n_lines) {
    const WaterLines l = lines;
    double *a = group.a, *e = group.e, *r = group.r, *x = group.x;
    int step = group.step, across = group.across;
    auto edge = [&](int s, int k) {
        FaceTerms face = face_terms<false>(l, kAdvection, s, line + k);
        int at = s * step + k * across;
        a[at] = face.a;
        e[at] = face.e;
        r[at] = face.r;
    };
    auto inside = [&](int s, int k, int count) {
        int at = s * step + k * across;
        for_run(count, [=](int i) {
            FaceTerms face =
                face_terms<true>(l, kAdvection, kRows ? s + i : s, kRows ? line + k : line + k + i);
            a[at + i] = face.a;
            e[at + i] = face.e;
            r[at + i] = face.r;
        });
    };
    for (int k = 0; k < n_lines; ++k) {
        edge(0, k);
        edge(l.n, k);
        if (kRows) inside(1, k, l.n - 1);
    }
    if (!kRows)
        for (int s = 1; s < l.n; ++s) inside(s, 0, n_lines);
    double over = l.over_kappa;
    auto level = [&](int s, int k, int count, bool is_edge) {
        int at = s * step + k * across;
        if (is_edge) {
            for (int i = 0; i < count; ++i)
                x[at + i] =
                    level_without_flow(l, kRows ? s + i : s, kRows ? line + k : line + k + i) -
                    (a[at + i + step] * e[at + i + step] - a[at + i] * e[at + i]) * over;
            return;
        }
        for_run(count, [=](int i) {
            x[at + i] =
                level_without_flow<true>(l, kRows ? s + i : s, kRows ? line + k : line + k + i) -
                (a[at + i + step] * e[at + i + step] - a[at + i] * e[at + i]) * over;
        });
    };
    auto is_edge = [&](int k) { return line + k == 0 || line + k == l.m - 1; };
    if (kRows) {
        for (int k = 0; k < n_lines; ++k) level(0, k, l.n, is_edge(k));
        return;
    }
    int first = is_edge(0) ? 1 : 0, end = is_edge(n_lines - 1) ? n_lines - 1 : n_lines;
    for (int s = 0; s < l.n; ++s) {
        if (first) level(s, 0, 1, true);
        level(s, first, end - first, false);
        if (end < n_lines) level(s, end, 1, true);
    }
}

/// Gaussian elimination along the lines, from the first cell to the last and back.
template <int kLines>
void solve_lines(const WaterLines& l, LineGroup& group, int step, int across) {
    double *a = group.a, *x = group.x, *right = group.right;
    double before_x[kLines], before_right[kLines];
    for (int k = 0; k < kLines; ++k) before_x[k] = l.rest, before_right[k] = 0;
    for (int s = 0; s < l.n; ++s) {
#pragma omp simd
        for (int k = 0; k < kLines; ++k) {
            int at = s * step + k * across;
            double here = a[at], next = a[at + step];
            double over = 1 / (1 + next + here - here * before_right[k]);
            before_x[k] = x[at] = (x[at] + here * before_x[k]) * over;
            before_right[k] = right[at] = next * over;
        }
    }
    for (int k = 0; k < kLines; ++k) before_x[k] = l.rest;
    for (int s = l.n - 1; s >= 0; --s) {
#pragma omp simd
        for (int k = 0; k < kLines; ++k) {
            int at = s * step + k * across;
            before_x[k] = x[at] = x[at] + right[at] * before_x[k];
        }
    }
}

template <bool kRows>
void write_lines(const WaterLines& l, const LineGroup& group, int line, int n_lines, double* z_new,
                 double* w_new) {
    int step = group.step, across = group.across;
    double kappa = l.kappa;
    auto write = [&](int s, int k, int count) {
        int at = s * step + k * across, to = l.cell(s, line + k);
        const double *x = group.x + at, *e = group.e + at, *r = group.r + at;
        double *z = z_new + to, *w = w_new + to;
        int back = step;
        for_run(count, [=](int i) {
            z[i] = x[i];
            w[i] = r[i] * (e[i] - kappa * (x[i] - x[i - back]));
        });
    };
    for (int k = 0; k < n_lines; ++k) {
        int first = k * across, last = l.n * step + k * across;
        z_new[l.cell(0, line + k)] = group.x[first];
        w_new[l.cell(0, line + k)] =
            group.r[first] * (group.e[first] - kappa * (group.x[first] - l.rest));
        w_new[l.cell(l.n, line + k)] =
            group.r[last] * (group.e[last] - kappa * (l.rest - group.x[last - step]));
        if (kRows) write(1, k, l.n - 1);
    }
    if (!kRows)
        for (int s = 1; s < l.n; ++s) write(s, 0, n_lines);
}

template <Advection kAdvection, bool kRows>
void step_by_lines(Stream& stream, const WaterLines& l, double* z_new, double* w_new) {
    constexpr int kLines = kRows ? kRowsAtOnce : kColumnsAtOnce;
    auto n_groups = static_cast<std::uint32_t>((l.m + kLines - 1) / kLines);
    parallel_for(
        stream, "lines", n_groups,
        [=](std::uint32_t index) {
            thread_local LineGroup group;
            int line = static_cast<int>(index) * kLines;
            int n_lines = std::min(kLines, l.m - line);
            group.shape(l.n, kLines, kRows);
            line_terms<kAdvection, kRows>(l, group, line, n_lines);
            // Lines beyond the last one are solved as well, with terms of no meaning.
            for (int k = n_lines; k < kLines; ++k)
                for (int s = 0; s <= l.n; ++s) group.a[s * group.step + k * group.across] = 0;
            solve_lines<kLines>(l, group, kRows ? 1 : kLines, kRows ? l.n + 1 : 1);
            write_lines<kRows>(l, group, line, n_lines, z_new, w_new);
        },
        1);
}

template <Advection kAdvection>
void step_by_lines(Stream& stream, const WaterLines& l, double* z_new, double* w_new) {
    if (l.step == 1)
        step_by_lines<kAdvection, true>(stream, l, z_new, w_new);
    else
        step_by_lines<kAdvection, false>(stream, l, z_new, w_new);
}

}  // namespace

void step_by_lines(Stream& stream, const WaterLines& l, double* z_new, double* w_new) {
    if (l.advection == Advection::streamline)
        step_by_lines<Advection::streamline>(stream, l, z_new, w_new);
    else if (l.advection == Advection::momentum)
        step_by_lines<Advection::momentum>(stream, l, z_new, w_new);
    else
        step_by_lines<Advection::none>(stream, l, z_new, w_new);
}

TL_DEVICE_END
