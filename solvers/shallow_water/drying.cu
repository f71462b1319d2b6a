// Limits the flows out of cells that fall dry. A cell whose flows out exceed its water and its
// flows in keeps a part of the former, so that it ends with no water. Its neighbours then get less,
// and may have to keep a part of theirs: the sweep is repeated until no cell does. Flows out only
// become smaller, and a cell without any has water left, so the end is the least change. Each flow
// leaves exactly one cell, so the order does not matter. A flow takes from one cell what it brings
// to another: the volume is conserved.
#include "solvers/shallow_water/drying.h"

#include "core/device/block.h"
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kThreads = 256;
/// Columns that a block has, next to each other in memory; of rows it has one.
constexpr int kColumns = 32;
/// Less than this below the bed is rounding, m.
constexpr double kBelowBed = 1e-12;
constexpr int kMostSweeps = 1000;

/// Flows along the lines: those of the half step, or those that the new fields would have.
template <bool kOfNewFields>
struct Flows {
    const WaterLines& l;
    const double *z, *w;  ///< the new ones

    /// Level lost in the cell before face s, and won in the one after it.
    [[nodiscard]] TL_D double at(int s, int t) const {
        auto [left, right] = cells_of_face(l, s);
        int p = l.cell(left, t), q = l.cell(right, t);
        const double* level = kOfNewFields ? z : l.z;
        double velocity = w[l.cell(s, t)];
        double from = kOfNewFields ? velocity : l.w[l.cell(s, t)];
        return l.drop_along * velocity *
               face_depth(l.advection, level[p], level[q], l.bed[p], l.bed[q], from);
    }
    /// The level of cell s without them.
    [[nodiscard]] TL_D double level_without(int s, int t) const {
        return kOfNewFields ? z[l.cell(s, t)] : level_without_flow(l, s, t);
    }
};

/// Water deficit of a cell: for the flows of the half step, or for those of the new fields.
enum Lack : std::uint32_t { kLacksNow = 1, kLacksNext = 2 };

struct KeepDepths {
    struct Shared {
        std::uint32_t again, next;
    };
    WaterLines l;
    double *z_new, *w_new, *kept;
    int n_lines;    ///< lines of a block
    bool has_next;  ///< flows of the new fields are reduced too

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        if (block.rank == 0) shared.again = shared.next = 0;
        block.sync();
        std::uint32_t lacks = what_lacks(block);
        if ((lacks & kLacksNow) != 0) block_max(&shared.again, 1u);
        if ((lacks & kLacksNext) != 0) block_max(&shared.next, 1u);
        block.sync();
        bool now = shared.again != 0, next = shared.next != 0 && has_next;
        if (now) {
            Flows<false> flows{l, z_new, w_new};
            reduce(block, shared, flows);
            for_cells(block, [&](int s, int t) {
                z_new[l.cell(s, t)] =
                    flows.level_without(s, t) - (flows.at(s + 1, t) - flows.at(s, t));
            });
            block.sync();
        }
        if ((now && has_next) || next) reduce(block, shared, Flows<true>{l, z_new, w_new});
    }

    /// Deficits of any of this thread's cells.
    template <class B>
    TL_D std::uint32_t what_lacks(const B& block) const {
        Flows<true> flows{l, z_new, w_new};
        std::uint32_t lacks = 0;
        auto look = [&](int s, int t) {
            lacks |= lack_of(l.cell(s, t), flows.at(s, t), flows.at(s + 1, t));
        };
        if (B::size > 1) {
            for_cells(block, look);
            return lacks;
        }
        // Cells inside of lines in memory order, several at once.
        int first = static_cast<int>(block.index) * n_lines;
        int end = first + n_lines < l.m ? first + n_lines : l.m;
        for (int t = first; t < end; ++t) {
            look(0, t);
            look(l.n - 1, t);
            if (l.step == 1) lacks |= lack_in_run(l.cell(1, t), l.n - 2);
        }
        if (l.step != 1)
            for (int s = 1; s + 1 < l.n; ++s) lacks |= lack_in_run(l.cell(s, first), end - first);
        return lacks;
    }
    [[nodiscard]] TL_D std::uint32_t lack_of(int cell, double in, double out) const {
        double depth = z_new[cell] - l.bed[cell];
        return (depth < -kBelowBed ? kLacksNow : 0u) |
               (depth + (in - out) < -kBelowBed ? kLacksNext : 0u);
    }
    [[nodiscard]] TL_D std::uint32_t lack_in_run(int first, int count) const {
        const double *z = z_new + first, *w = w_new + first, *bed = l.bed + first;
        int step = l.step;
        auto flow = [=, drop = l.drop_along, advection = l.advection](int left, int right) {
            return drop * w[right] *
                   face_depth(advection, z[left], z[right], bed[left], bed[right], w[right]);
        };
        double now = 0, next = 0;
#if !defined(__CUDACC__)
#pragma omp simd reduction(min : now, next)
#endif
        for (int i = 0; i < count; ++i) {
            double depth = z[i] - bed[i];
            now = smaller(now, depth);
            next = smaller(next, depth + (flow(i - step, i) - flow(i, i + step)));
        }
        return (now < -kBelowBed ? kLacksNow : 0u) | (next < -kBelowBed ? kLacksNext : 0u);
    }

    /// Calls op(s, t) for all cells of the block's lines.
    template <class B, class Op>
    TL_D void for_cells(const B& block, Op&& op) const {
        int first = static_cast<int>(block.index) * n_lines;
        int end = first + n_lines < l.m ? first + n_lines : l.m;
        if (B::size == 1) {
            for (int s = 0; s < l.n; ++s)
                for (int t = first; t < end; ++t) op(s, t);
            return;
        }
        int t = first + static_cast<int>(block.rank) % n_lines;
        int step = static_cast<int>(B::size) / n_lines;
        if (t < end)
            for (int s = static_cast<int>(block.rank) / n_lines; s < l.n; s += step) op(s, t);
    }
    /// Whether op(s, t) holds for a cell of the block's lines; the same for all threads.
    template <class B, class Op>
    TL_D bool any(const B& block, Shared& shared, Op&& op) const {
        block.sync();
        if (block.rank == 0) shared.again = 0;
        block.sync();
        std::uint32_t found = 0;
        for_cells(block, [&](int s, int t) { found |= op(s, t) ? 1u : 0u; });
        if (found != 0) block_max(&shared.again, 1u);
        block.sync();
        return shared.again != 0;
    }

    /// Fraction of its flows out that a cell can give.
    template <class F>
    TL_D double share_kept(const F& flows, int s, int t) const {
        double in = flows.at(s, t), out = flows.at(s + 1, t);
        double depth = flows.level_without(s, t) + (in - out) - l.bed[l.cell(s, t)];
        double outwards = larger(out, 0.0) + larger(-in, 0.0);
        if (!(depth < -kBelowBed && outwards > 0)) return 1;
        return larger(0.0, 1 + depth / outwards);
    }
    template <class B, class F>
    TL_D void reduce(const B& block, Shared& shared, const F& flows) const {
        for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
            bool again = any(block, shared, [&](int s, int t) {
                double share = share_kept(flows, s, t);
                kept[l.cell(s, t)] = share;
                return share < 1;
            });
            if (!again) return;
            for_cells(block, [&](int s, int t) {
                double share = kept[l.cell(s, t)];
                if (!(share < 1)) return;
                if (w_new[l.cell(s + 1, t)] > 0) scale(s + 1, t, share);
                if (w_new[l.cell(s, t)] < 0) scale(s, t, share);
            });
            block.sync();
        }
    }
    /// A ring's last face is its first.
    TL_D void scale(int s, int t, double share) const {
        double w = w_new[l.cell(s, t)] * share;
        w_new[l.cell(s, t)] = w;
        if (l.border != WaterBorder::periodic) return;
        if (s == 0) w_new[l.cell(l.n, t)] = w;
        if (s == l.n) w_new[l.cell(0, t)] = w;
    }
};

}  // namespace

void keep_depths(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                 double* scratch, bool next) {
    int n_lines = lines.step == 1 ? 1 : kColumns;
    launch_blocks<kThreads>(stream, "keep depths",
                            static_cast<std::uint32_t>((lines.m + n_lines - 1) / n_lines),
                            KeepDepths{lines, z_new, w_new, scratch, n_lines, next});
}

TL_DEVICE_END
