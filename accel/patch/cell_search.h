// Searches a piece for the common roots of two functions, cell by cell, nearest first. Cells are
// pruned, clipped to the part that can hold roots, or cut in two. The search of a cell ends when it
// is proved empty or to hold one root, or is too small for the current precision.
#pragma once

#include "accel/patch/cell_proof.h"
#include "accel/patch/patch_ray.h"

TL_DEVICE_BEGIN

/// A part of the unit square, bounded by lines of a grid of 2^kBits per side; exact in `Real`,
/// which has at least as many digits.
template <class Real>
struct GridCell {
    static constexpr int kBits = sizeof(Real) == 4 ? 24 : 31;
    std::uint32_t u0 = 0, u1 = 1u << kBits, v0 = 0, v1 = 1u << kBits;

    template <class To>
    [[nodiscard]] TL_HD Cell<To> as_cell() const {
        constexpr To kStep = 1 / To(1u << kBits);
        return {To(u0) * kStep, To(u1) * kStep, To(v0) * kStep, To(v1) * kStep};
    }
    /// Whether only a few grid lines are left inside the cell, across u or across v.
    [[nodiscard]] TL_HD bool is_small(bool across_u) const {
        constexpr std::uint32_t kFewLines = 16;
        return (across_u ? u1 - u0 : v1 - v0) <= kFewLines;
    }
    /// The smallest grid cell around a part of this cell.
    [[nodiscard]] TL_HD GridCell about(const Cell<Real>& part) const {
        GridCell cell;
        range_about(u0, u1, part.u0, part.u1, cell.u0, cell.u1);
        range_about(v0, v1, part.v0, part.v1, cell.v0, cell.v1);
        return cell;
    }
    [[nodiscard]] TL_HD GridCell half(bool across_u, bool low) const {
        GridCell cell = *this;
        std::uint32_t middle = across_u ? u0 + (u1 - u0) / 2 : v0 + (v1 - v0) / 2;
        (across_u ? low ? cell.u1 : cell.u0 : low ? cell.v1 : cell.v0) = middle;
        return cell;
    }
    /// The relative position in this cell of a smaller one.
    [[nodiscard]] TL_HD Cell<Real> part(const GridCell& cell) const {
        Real u = 1 / Real(u1 - u0), v = 1 / Real(v1 - v0);
        return {Real(cell.u0 - u0) * u, cell.u1 == u1 ? Real(1) : Real(cell.u1 - u0) * u,
                Real(cell.v0 - v0) * v, cell.v1 == v1 ? Real(1) : Real(cell.v1 - v0) * v};
    }

  private:
    TL_HD static void range_about(std::uint32_t from, std::uint32_t to, Real part_from,
                                  Real part_to, std::uint32_t& lo, std::uint32_t& hi) {
        std::uint32_t size = to - from;
        auto below = static_cast<std::uint32_t>(part_from * Real(size));
        auto above = static_cast<std::uint32_t>(part_to * Real(size)) + 1;
        lo = from + (below < size ? below : size - 1);
        hi = above < size ? from + above : to;
    }
};

template <class Real>
TL_HD inline RayNets<Real> restricted(const RayNets<Real>& nets, const Cell<Real>& part) {
    return {restricted(nets.a, part), restricted(nets.b, part), restricted(nets.way, part)};
}

/// Whether a cell should be cut across u: along the side that appears longer.
template <class Real>
TL_HD inline bool cuts_across_u(const RayNets<Real>& nets) {
    Real u =
        greatest(deviation(range_of_du(nets.a), Real(0)), deviation(range_of_du(nets.b), Real(0)));
    Real v =
        greatest(deviation(range_of_dv(nets.a), Real(0)), deviation(range_of_dv(nets.b), Real(0)));
    return u >= v;
}

/// Whether a cell is so small that cutting it would reveal nothing more.
template <class Real>
TL_HD inline bool is_blurred(const RayNets<Real>& nets, Real noise) {
    constexpr Real kSmall = 32;  // in units of the error
    Range<Real> a = range_of(nets.a), b = range_of(nets.b);
    return greatest(a.hi - a.lo, b.hi - b.lo) < kSmall * noise;
}

/// Visits the cells of `whole` that may hold roots. Calls `leaf.unique(cell, x, y)` with a proved
/// cell's root in the cell's own unit square, and `leaf.blurred(cell)` with a cell that cannot be
/// decided; either ends the search by returning true. `leaf.is_outside(way, noise)` returns whether
/// a cell lies beyond the hit found or behind the ray, `leaf.is_at_start(cell, holds_start)`
/// whether all of it is at the ray's start, or part. `leaf.count_steps(n)` counts cells and Newton
/// steps. At most `cells_left` cells are visited; their number is subtracted from it.
template <class Real, class Leaf>
TL_HD inline bool search_cells(const RayNets<Real>& whole, Real noise, bool forward, Leaf& leaf,
                               int& cells_left) {
    constexpr int kMostWaiting = 2 * GridCell<Real>::kBits;
    GridCell<Real> waiting[kMostWaiting];
    int n_waiting = 0;
    GridCell<Real> cell;
    RayNets<Real> nets = whole;
    for (; cells_left > 0; --cells_left) {
        Real x, y;
        Cell<Real> part;
        bool holds_start = false;
        std::uint32_t n_steps = 1;
        auto exact = cell.template as_cell<double>();
        CellProof proof =
            leaf.is_outside(nets.way, noise) ? CellProof::empty
            : leaf.is_at_start(exact, holds_start)
                ? CellProof::empty
                : examine_cell(nets.a, nets.b, noise, holds_start, x, y, part, n_steps);
        leaf.count_steps(n_steps);
        bool across_u = false;
        if (proof == CellProof::open) {
            across_u = cuts_across_u(nets);
            if (cell.is_small(across_u) || is_blurred(nets, noise)) proof = CellProof::blurred;
        }
        if (proof == CellProof::unique) {
            if (leaf.unique(exact, double(x), double(y))) return true;
        } else if (proof == CellProof::blurred) {
            if (leaf.blurred(exact)) return true;
        } else if (proof == CellProof::open) {
            GridCell<Real> next = cell.about(part);
            part = cell.part(next);
            // A clip that halves the cell replaces a cut and leaves no pending cell.
            if ((part.u1 - part.u0) * (part.v1 - part.v0) > Real(0.5)) {
                // The half whose start is nearer is searched first.
                const Net<Real>& w = nets.way;
                Real rise = across_u ? w.at[12] + w.at[15] - w.at[0] - w.at[3]
                                     : w.at[3] + w.at[15] - w.at[0] - w.at[12];
                bool low_first = forward == (rise >= 0);
                waiting[n_waiting++] = next.half(across_u, !low_first);
                next = next.half(across_u, low_first);
                part = cell.part(next);
            }
            nets = restricted(nets, part);
            cell = next;
            continue;
        }
        if (n_waiting == 0) return false;
        cell = waiting[--n_waiting];
        nets = restricted(whole, cell.template as_cell<Real>());
    }
    return false;
}

TL_DEVICE_END
