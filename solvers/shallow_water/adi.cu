// The alternating-direction scheme by tiles. A tile is one segment of many lines, in shared memory,
// so that fields are read and written along rows whichever way the lines run.
// 1. Each segment's inner cells are eliminated (Wang 1981), which leaves an equation for its last
// cell, the separator.
// 2. The separators' systems are solved in the same way, groups of them by threads of a block.
// 3. The terms of all faces are computed again, which costs less than writing and reading them, and
// the inner cells follow from the separators.
#include "core/device/block.h"
#include "solvers/shallow_water/adi.h"
#if !defined(__CUDACC__)
#include "solvers/shallow_water/adi_lines.h"
#endif
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kCells = SegmentSystems::kMostCells, kTileLines = 32, kTileThreads = 128;
constexpr int kFaces = kCells + 1;
constexpr int kResident = 8;          // blocks on a multiprocessor, which hide latency
constexpr int kRow = kTileLines + 1;  // row of shared memory: columns fall into different banks

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
/// Whether none of the tile's faces and cells is at a border of the grid.
TL_HD bool is_inside(const WaterLines& l, const Tile& tile) {
    return tile.first > 0 && tile.first + tile.n_cells < l.n && tile.line > 0 &&
           tile.line + tile.n_lines < l.m;
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

/// An unknown's equation: diagonal x - before x_before - after x_after = d.
struct Equation {
    double before, diagonal, after, d;
};

/// Equation of a run of unknowns after elimination. It couples the run's last unknown with the last
/// ones of the neighbouring runs. back_diagonal and back_right are the run's addends to the
/// equation of the unknown before it.
struct Remains {
    double couple, diagonal, right, back_diagonal, back_right;
};

/// Eliminates unknowns one after the other. The newest unknown is p + left x_before_the_first +
/// right x_after; the first one has the same form.
struct Elimination {
    double p = 0, left = 1, right = 0, first_p = 0, first_left = 0, first_right = 1;

    TL_HD void add(const Equation& e) {
        double over = 1 / (e.diagonal - e.before * right);
        p = (e.d + e.before * p) * over;
        left *= e.before * over;
        right = e.after * over;
        first_p += first_right * p;
        first_left += first_right * left;
        first_right *= right;
    }
    /// `last` follows the eliminated ones; `outer` is the first one's `before`.
    [[nodiscard]] TL_HD Remains remains(const Equation& last, double outer) const {
        return {last.before * left, last.diagonal - last.before * right, last.d + last.before * p,
                outer * first_left, outer * first_p};
    }
};

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
        if (is_inside(l, tile))
            find_terms<true>(block, shared, tile);
        else
            find_terms<false>(block, shared, tile);
        block.sync();
        for (int t = int(block.rank); t < tile.n_lines; t += int(block.size))
            reduce(shared, tile, t);
    }

    template <bool kInside, class B>
    TL_D void find_terms(const B& block, Shared& shared, const Tile& tile) const {
        for_tile<kFaces>(block, l, tile, tile.n_cells + 1, [&](int s, int t) {
            FaceTerms face = face_terms<kInside>(l, l.advection, tile.first + s, tile.line + t);
            shared.a[s][t] = face.a;
            shared.q[s][t] = face.a * face.e * l.over_kappa;
        });
        block.sync();
        for_tile<kCells>(block, l, tile, tile.n_cells, [&](int s, int t) {
            shared.d[s][t] = level_without_flow<kInside>(l, tile.first + s, tile.line + t) -
                             (shared.q[s + 1][t] - shared.q[s][t]);
        });
    }

    TL_D void reduce(const Shared& shared, const Tile& tile, int t) const {
        auto equation = [&](int s) {
            double a = shared.a[s][t], next = shared.a[s + 1][t];
            return Equation{a, 1 + next + a, next, shared.d[s][t]};
        };
        Elimination inner;
        int last = tile.n_cells - 1;
        for (int s = 0; s < last; ++s) inner.add(equation(s));
        Equation separator = equation(last);
        bool is_end = tile.first + tile.n_cells == l.n && l.border != WaterBorder::periodic;
        if (is_end) separator.d += separator.after * l.rest;
        Remains left = inner.remains(separator, shared.a[0][t]);
        std::size_t at = std::size_t(tile.segment) * l.m + tile.line + t;
        systems.couple[at] = left.couple;
        systems.diagonal[at] = left.diagonal;
        systems.right[at] = left.right;
        systems.back_diagonal[at] = left.back_diagonal;
        systems.back_right[at] = left.back_right;
    }
};

/// Calls use(k, load(k)) for k in [0, n), with the loads of some k in flight at once.
template <class Load, class Use>
TL_D void for_loaded_ahead(int n, Load&& load, Use&& use) {
    constexpr int kAhead = 4;
    for (int begin = 0; begin < n; begin += kAhead) {
        decltype(load(0)) loaded[kAhead];
#pragma unroll
        for (int i = 0; i < kAhead; ++i)
            if (begin + i < n) loaded[i] = load(begin + i);
#pragma unroll
        for (int i = 0; i < kAhead; ++i)
            if (begin + i < n) use(begin + i, loaded[i]);
    }
}

constexpr int kGroups = 16, kGroupThreads = kGroups * kTileLines;

struct SeparatorsShared {
    Equation edges[kGroups][kRow];
    Remains groups[kGroups][kRow];
};

/// Solves the separators' systems of a block's lines. Groups of separators are eliminated except
/// for the last one of each; a thread of each line solves for these few.
struct SolveSeparators {
    using Shared = SeparatorsShared;
    WaterLines l;
    SegmentSystems systems;

    [[nodiscard]] TL_D bool ring() const { return l.border == WaterBorder::periodic; }
    [[nodiscard]] TL_D std::size_t at(int k, int line) const { return std::size_t(k) * l.m + line; }
    /// Equation of separator k, coupled with its neighbours. In a ring the line's first one follows
    /// its last.
    [[nodiscard]] TL_D Equation equation(int k, int line) const {
        std::size_t here = at(k, line);
        bool is_last = k + 1 == systems.n_segments;
        if (is_last && !ring())
            return {systems.couple[here], systems.diagonal[here], 0, systems.right[here]};
        std::size_t next = at(is_last ? 0 : k + 1, line);
        return {systems.couple[here], systems.diagonal[here] - systems.back_diagonal[next],
                systems.couple[next], systems.right[here] + systems.back_right[next]};
    }

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        int line = static_cast<int>(block.index) * kTileLines, n = systems.n_segments;
        int size = (n + kGroups - 1) / kGroups, n_groups = (n + size - 1) / size;
        auto end_of = [&](int g) { return (g + 1) * size < n ? (g + 1) * size : n; };
        auto for_groups = [&](auto&& op) {
            for (std::uint32_t i = block.rank; i < kGroupThreads; i += block.size) {
                int g = static_cast<int>(i) / kTileLines, t = static_cast<int>(i) % kTileLines;
                if (g < n_groups && line + t < l.m) op(g, t);
            }
        };
        // Read before the next group overwrites the values that they depend on.
        for_groups([&](int g, int t) { shared.edges[g][t] = equation(end_of(g) - 1, line + t); });
        block.sync();
        for_groups([&](int g, int t) {
            shared.groups[g][t] = eliminate(g * size, end_of(g) - 1, line + t, shared.edges[g][t]);
        });
        block.sync();
        for (int t = int(block.rank); t < kTileLines; t += int(block.size))
            if (line + t < l.m) solve(shared, n_groups, t);
        block.sync();
        for_groups([&](int g, int t) {
            double before = g > 0    ? shared.groups[g - 1][t].right
                            : ring() ? shared.groups[n_groups - 1][t].right
                                     : l.rest;
            expand(g * size, end_of(g) - 1, line + t, before, shared.groups[g][t].right);
        });
    }

    /// Keeps p, left and right of the separators in [begin, last).
    [[nodiscard]] TL_D Remains eliminate(int begin, int last, int line,
                                         const Equation& edge) const {
        Elimination inner;
        double outer = systems.couple[at(begin, line)];
        for_loaded_ahead(
            last - begin, [&](int i) { return equation(begin + i, line); },
            [&](int i, const Equation& here) {
                inner.add(here);
                std::size_t k = at(begin + i, line);
                systems.right[k] = inner.p;
                systems.back_right[k] = inner.left;
                systems.diagonal[k] = inner.right;
            });
        return inner.remains(edge, outer);
    }
    /// Leaves the levels of the groups' last separators in `right`.
    TL_D void solve(Shared& shared, int n_groups, int t) const {
        int last = n_groups - 1;
        Remains first = shared.groups[0][t];
        Elimination groups;
        for (int g = 0; g < last; ++g) {
            Remains &here = shared.groups[g][t], &next = shared.groups[g + 1][t];
            groups.add({here.couple, here.diagonal - next.back_diagonal, next.couple,
                        here.right + next.back_right});
            here.right = groups.p;
            here.back_right = groups.left;
            here.diagonal = groups.right;
        }
        Remains& end = shared.groups[last][t];
        double diagonal = end.diagonal - end.couple * groups.right, d = end.right;
        double before = ring() ? 0 : l.rest;
        if (ring()) {
            diagonal -= first.back_diagonal + end.couple * groups.left +
                        first.couple * (groups.first_left + groups.first_right);
            d += first.back_right + first.couple * groups.first_p;
        }
        double x = (d + end.couple * (groups.p + groups.left * before)) / diagonal;
        before = ring() ? x : before;
        end.right = x;
        for (int g = last - 1; g >= 0; --g) {
            Remains& here = shared.groups[g][t];
            here.right = x = here.right + here.back_right * before + here.diagonal * x;
        }
    }
    TL_D void expand(int begin, int last, int line, double before, double x) const {
        struct Reduced {
            double p, left, right;
        };
        systems.right[at(last, line)] = x;
        for_loaded_ahead(
            last - begin,
            [&](int i) {
                std::size_t k = at(last - 1 - i, line);
                return Reduced{systems.right[k], systems.back_right[k], systems.diagonal[k]};
            },
            [&](int i, const Reduced& here) {
                x = here.p + here.left * before + here.right * x;
                systems.right[at(last - 1 - i, line)] = x;
            });
    }
};

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
        if (is_inside(l, tile))
            find_terms<true>(block, shared, tile);
        else
            find_terms<false>(block, shared, tile);
        block.sync();
        for (int t = int(block.rank); t < tile.n_lines; t += int(block.size))
            expand(shared, tile, t);
        block.sync();
        for_tile<kFaces>(block, l, tile, tile.n_cells + 1,
                         [&](int s, int t) { write(shared, tile, s, t); });
    }

    template <bool kInside, class B>
    TL_D void find_terms(const B& block, Shared& shared, const Tile& tile) const {
        for_tile<kFaces>(block, l, tile, tile.n_cells + 1, [&](int s, int t) {
            FaceTerms face = face_terms<kInside>(l, l.advection, tile.first + s, tile.line + t);
            shared.a[s][t] = face.a;
            shared.e[s][t] = face.e;
            shared.r[s][t] = face.r;
        });
        block.sync();
        for_tile<kCells>(block, l, tile, tile.n_cells, [&](int s, int t) {
            double in = shared.a[s][t] * shared.e[s][t];
            double out = shared.a[s + 1][t] * shared.e[s + 1][t];
            shared.x[s][t] = level_without_flow<kInside>(l, tile.first + s, tile.line + t) -
                             (out - in) * l.over_kappa;
        });
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
        double w = shared.r[s][t] * (shared.e[s][t] - l.kappa * (right - left));
        w_new[l.cell(cell, line)] = w;
        if (ring && cell == 0) w_new[l.cell(l.n, line)] = w;
    }
};

void step_by_tiles(Stream& stream, const WaterLines& l, double* z_new, double* w_new,
                   const SegmentSystems& systems) {
    int n_groups = (l.m + kTileLines - 1) / kTileLines;
    auto n_tiles = static_cast<std::uint32_t>(n_groups * systems.n_segments);
    launch_blocks<kTileThreads, ReducedShared, kResident>(stream, "reduce segments", n_tiles,
                                                          ReduceSegments{l, systems});
    launch_blocks<kGroupThreads, SeparatorsShared>(
        stream, "separators", static_cast<std::uint32_t>(n_groups), SolveSeparators{l, systems});
    launch_blocks<kTileThreads, ExpandShared, kResident>(stream, "expand segments", n_tiles,
                                                         ExpandSegments{l, systems, z_new, w_new});
}

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
            double d = level_without_flow(l, s, t) - (out.a * out.e - in.a * in.e) * l.over_kappa;
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
            w_new[l.cell(s, t)] = face.r * (face.e - l.kappa * (level(s) - level(s - 1)));
            if (s < l.n) z_new[l.cell(s, t)] = level(s);
        });
}

TL_DEVICE_END
