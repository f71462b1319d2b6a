// The alternating-direction scheme by tiles: a tile is one segment of many lines, in memory that
// its threads share, so that fields are read and written along rows whatever way the lines run.
// 1. Each segment's inner cells are eliminated (Wang 1981), which leaves an equation for its last
//    cell, the separator; 2. the separators' systems are solved, a thread for each line; 3. the
//    terms of all faces are computed again, which costs less than writing and reading them, and the
//    inner cells follow from the separators.
#include <algorithm>
#include <vector>

#include "accel/parallel/block.h"
#include "solvers/shallow_water/adi.h"
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kCells = SegmentSystems::kMostCells, kTileLines = 32, kTileThreads = 128;
constexpr int kFaces = kCells + 1;
constexpr int kRow = kTileLines + 1;  // of shared memory: columns fall into different banks

/// The part of the grid that a block works on.
struct Tile {
    int segment, first, n_cells, line, n_lines;
};

TL_HD Tile tile_of(const WaterLines& l, const SegmentSystems& systems, std::uint32_t index) {
    int segment = static_cast<int>(index) % systems.n_segments;
    int group = static_cast<int>(index) / systems.n_segments;
    int first = segment * systems.segment, line = group * kTileLines;
    return {segment, first, l.n - first < systems.segment ? l.n - first : systems.segment, line,
            l.m - line < kTileLines ? l.m - line : kTileLines};
}

/// Calls op(s, t) for s in [0, kRows) below n_rows, and t in [0, n_lines), from the block's
/// threads; neighbouring threads get neighbours in memory.
template <int kRows, class B, class Op>
TL_D void for_tile(const B& block, const WaterLines& l, const Tile& tile, int n_rows, Op&& op) {
    for (std::uint32_t i = block.rank; i < std::uint32_t(kRows * kTileLines); i += block.size) {
        bool rows_first = l.step == 1;
        int s = static_cast<int>(rows_first ? i % kRows : i / kTileLines);
        int t = static_cast<int>(rows_first ? i / kRows : i % kTileLines);
        if (s < n_rows && t < tile.n_lines) op(s, t);
    }
}

struct ReducedShared {
    double a[kFaces][kRow], q[kFaces][kRow], d[kCells][kRow];
};

/// Eliminates the inner cells of segments.
struct ReduceSegments {
    using Shared = ReducedShared;
    WaterLines l;
    SegmentSystems systems;

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        Tile tile = tile_of(l, systems, block.index);
        for_tile<kFaces>(block, l, tile, tile.n_cells + 1, [&](int s, int t) {
            FaceTerms face = face_terms<false>(l, l.advection, tile.first + s, tile.line + t);
            shared.a[s][t] = face.a;
            shared.q[s][t] = face.a * face.e / l.kappa();
        });
        block.sync();
        for_tile<kCells>(block, l, tile, tile.n_cells, [&](int s, int t) {
            shared.d[s][t] = level_without_flow(l, tile.first + s, tile.line + t) -
                             (shared.q[s + 1][t] - shared.q[s][t]);
        });
        block.sync();
        for (int t = int(block.rank); t < tile.n_lines; t += int(block.size))
            reduce(shared, tile, t);
    }

    /// Inner cell s is p + left x_separator_before + right x_next; so is the first of them.
    TL_D void reduce(const Shared& shared, const Tile& tile, int t) const {
        double p = 0, left = 1, right = 0, first_p = 0, first_left = 0, first_right = 1;
        int last = tile.n_cells - 1;
        for (int s = 0; s < last; ++s) {
            double a = shared.a[s][t], next = shared.a[s + 1][t];
            double over = 1 / (1 + next + a - a * right);
            p = (shared.d[s][t] + a * p) * over;
            left *= a * over;
            right = next * over;
            first_p += first_right * p;
            first_left += first_right * left;
            first_right *= right;
        }
        double a = shared.a[last][t], outer = shared.a[0][t];
        double after = shared.a[tile.n_cells][t];
        bool is_end = tile.first + tile.n_cells == l.n && l.border != WaterBorder::periodic;
        std::size_t at = std::size_t(tile.segment) * l.m + tile.line + t;
        systems.couple[at] = a * left;
        systems.diagonal[at] = 1 + after + a - a * right;
        systems.right[at] = shared.d[last][t] + a * p + (is_end ? after * l.rest : 0);
        systems.back_diagonal[at] = outer * first_left;
        systems.back_right[at] = outer * first_p;
    }
};

/// Solves the separators' system of one line: x_k = p + left x_before_the_first + right x_{k+1}.
TL_D void solve_separators(const WaterLines& l, const SegmentSystems& systems, std::uint32_t t) {
    int last = systems.n_segments - 1;
    auto at = [&](int k) { return std::size_t(k) * l.m + t; };
    double ring_right = systems.back_right[at(0)];
    double p = 0, left = 1, right = 0, first_p = 0, first_left = 0, first_right = 1;
    for (int k = 0; k < last; ++k) {
        double a = systems.couple[at(k)], next = systems.couple[at(k + 1)];
        double diagonal = systems.diagonal[at(k)] - systems.back_diagonal[at(k + 1)];
        double d = systems.right[at(k)] + systems.back_right[at(k + 1)];
        double over = 1 / (diagonal - a * right);
        p = (d + a * p) * over;
        left *= a * over;
        right = next * over;
        first_p += first_right * p;
        first_left += first_right * left;
        first_right *= right;
        systems.right[at(k)] = p;
        systems.back_right[at(k)] = left;
        systems.diagonal[at(k)] = right;
    }
    bool ring = l.border == WaterBorder::periodic;
    double a = systems.couple[at(last)], outer = ring ? systems.couple[at(0)] : 0;
    double diagonal = systems.diagonal[at(last)] - (ring ? systems.back_diagonal[at(0)] : 0);
    double d = systems.right[at(last)] + (ring ? ring_right : 0);
    double before = ring ? 0 : l.rest;
    double x = (d + a * (p + left * before) + outer * first_p) /
               (diagonal - a * right - (ring ? a * left + outer * (first_left + first_right) : 0));
    before = ring ? x : before;
    systems.right[at(last)] = x;
    for (int k = last - 1; k >= 0; --k) {
        x = systems.right[at(k)] + systems.back_right[at(k)] * before + systems.diagonal[at(k)] * x;
        systems.right[at(k)] = x;
    }
}

struct ExpandShared {
    double a[kFaces][kRow], e[kFaces][kRow], r[kFaces][kRow];
    double x[kCells][kRow], right[kCells][kRow];
};

/// Finds the inner cells' levels and the velocities of faces.
struct ExpandSegments {
    using Shared = ExpandShared;
    WaterLines l;
    SegmentSystems systems;
    double *z_new, *w_new;

    /// The level beside the line's ends, and of separators.
    TL_D double separator(int segment, int line) const {
        if (segment < 0) {
            if (l.border != WaterBorder::periodic) return l.rest;
            segment = systems.n_segments - 1;
        }
        return systems.right[std::size_t(segment) * l.m + line];
    }

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        Tile tile = tile_of(l, systems, block.index);
        for_tile<kFaces>(block, l, tile, tile.n_cells + 1, [&](int s, int t) {
            FaceTerms face = face_terms<false>(l, l.advection, tile.first + s, tile.line + t);
            shared.a[s][t] = face.a;
            shared.e[s][t] = face.e;
            shared.r[s][t] = face.r;
        });
        block.sync();
        for_tile<kCells>(block, l, tile, tile.n_cells, [&](int s, int t) {
            double in = shared.a[s][t] * shared.e[s][t];
            double out = shared.a[s + 1][t] * shared.e[s + 1][t];
            shared.x[s][t] =
                level_without_flow(l, tile.first + s, tile.line + t) - (out - in) / l.kappa();
        });
        block.sync();
        for (int t = int(block.rank); t < tile.n_lines; t += int(block.size))
            expand(shared, tile, t);
        block.sync();
        for_tile<kFaces>(block, l, tile, tile.n_cells + 1,
                         [&](int s, int t) { write(shared, tile, s, t); });
    }

    TL_D void expand(Shared& shared, const Tile& tile, int t) const {
        int last = tile.n_cells - 1;
        double before = separator(tile.segment - 1, tile.line + t), right = 0;
        for (int s = 0; s < last; ++s) {
            double a = shared.a[s][t], next = shared.a[s + 1][t];
            double over = 1 / (1 + next + a - a * right);
            before = (shared.x[s][t] + a * before) * over;
            right = next * over;
            shared.x[s][t] = before;
            shared.right[s][t] = right;
        }
        double x = separator(tile.segment, tile.line + t);
        shared.x[last][t] = x;
        for (int s = last - 1; s >= 0; --s)
            shared.x[s][t] = x = shared.x[s][t] + shared.right[s][t] * x;
    }

    TL_D void write(const Shared& shared, const Tile& tile, int s, int t) const {
        int cell = tile.first + s, line = tile.line + t;
        bool is_last = s == tile.n_cells, is_end = cell == l.n;
        bool ring = l.border == WaterBorder::periodic;
        if (!is_last) z_new[l.cell(cell, line)] = shared.x[s][t];
        // The face after a segment's last cell is the next segment's first; in a ring the line's
        // last face is its first.
        if (is_last && (!is_end || ring)) return;
        double left = s > 0 ? shared.x[s - 1][t] : separator(tile.segment - 1, line);
        double right = is_end ? l.rest : shared.x[s][t];
        double w = shared.r[s][t] * (shared.e[s][t] - l.kappa() * (right - left));
        w_new[l.cell(cell, line)] = w;
        if (ring && cell == 0) w_new[l.cell(l.n, line)] = w;
    }
};

void step_by_tiles(Stream& stream, const WaterLines& l, double* z_new, double* w_new,
                   const SegmentSystems& systems) {
    int n_groups = (l.m + kTileLines - 1) / kTileLines;
    auto n_tiles = static_cast<std::uint32_t>(n_groups * systems.n_segments);
    launch_blocks<kTileThreads>(stream, "reduce segments", n_tiles, ReduceSegments{l, systems});
    parallel_for(
        stream, "separators", static_cast<std::uint32_t>(l.m),
        TL_LAMBDA(std::uint32_t t) { solve_separators(l, systems, t); }, 64);
    launch_blocks<kTileThreads>(stream, "expand segments", n_tiles,
                                ExpandSegments{l, systems, z_new, w_new});
}

#if !defined(__CUDACC__)

// Whole lines, on the CPU: several at once, in memory that stays in a core's cache, where the
// compiler can compute four cells at a time.

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
    double over = 1 / l.kappa();
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
    double kappa = l.kappa();
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

void step_by_lines(Stream& stream, const WaterLines& l, double* z_new, double* w_new) {
    if (l.advection == Advection::streamline)
        step_by_lines<Advection::streamline>(stream, l, z_new, w_new);
    else if (l.advection == Advection::momentum)
        step_by_lines<Advection::momentum>(stream, l, z_new, w_new);
    else
        step_by_lines<Advection::none>(stream, l, z_new, w_new);
}

#endif

}  // namespace

void adi_half_step(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                   const SegmentSystems& systems, [[maybe_unused]] bool by_tiles) {
#if !defined(__CUDACC__)
    if (!by_tiles && lines.border != WaterBorder::periodic)
        return step_by_lines(stream, lines, z_new, w_new);
#endif
    step_by_tiles(stream, lines, z_new, w_new, systems);
}

void adi_systems(Stream& stream, const WaterLines& lines, double* faces, double* right) {
    WaterLines l = lines;
    parallel_for(
        stream, "systems", static_cast<std::uint32_t>(l.m) * static_cast<std::uint32_t>(l.n),
        TL_LAMBDA(std::uint32_t i) {
            int s = static_cast<int>(i) % l.n, t = static_cast<int>(i) / l.n;
            FaceTerms in = face_terms<false>(l, l.advection, s, t);
            FaceTerms out = face_terms<false>(l, l.advection, s + 1, t);
            bool wraps = l.border == WaterBorder::periodic;
            double d = level_without_flow(l, s, t) - (out.a * out.e - in.a * in.e) / l.kappa();
            if (s == 0 && !wraps) d += in.a * l.rest;
            if (s == l.n - 1 && !wraps) d += out.a * l.rest;
            right[i] = d;
            faces[s + t * (l.n + 1)] = in.a;
            if (s == l.n - 1) faces[l.n + t * (l.n + 1)] = out.a;
        });
}

void adi_from_solution(Stream& stream, const WaterLines& lines, const double* solution,
                       double* z_new, double* w_new) {
    WaterLines l = lines;
    parallel_for(
        stream, "velocities", static_cast<std::uint32_t>(l.m) * static_cast<std::uint32_t>(l.n + 1),
        TL_LAMBDA(std::uint32_t i) {
            int s = static_cast<int>(i) % (l.n + 1), t = static_cast<int>(i) / (l.n + 1);
            FaceTerms face = face_terms<false>(l, l.advection, s, t);
            bool wraps = l.border == WaterBorder::periodic;
            auto level = [&](int at) {
                if (wraps) at = at < 0 ? l.n - 1 : at == l.n ? 0 : at;
                return at < 0 || at == l.n ? l.rest : solution[at + t * l.n];
            };
            w_new[l.cell(s, t)] = face.r * (face.e - l.kappa() * (level(s) - level(s - 1)));
            if (s < l.n) z_new[l.cell(s, t)] = level(s);
        });
}

TL_DEVICE_END
