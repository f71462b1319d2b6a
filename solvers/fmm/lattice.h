// Lattices of nodes: every node of the tree has p x p x p points at equal spacing. As a source, the
// node has strengths there, in place of its points; as a target, the field of far nodes.
//
// Nodes of one size have lattices that are shifts of one another by whole steps, since a node is a
// whole number of steps wide. Values between lattice points are interpolated by polynomials of
// degree p - 1. Their roundings and errors are largest near the outermost points, so some of these
// stand outside of the node: about a tenth of the width on either side, which is what errors are
// least with.
#pragma once

#include "solvers/fmm/pair_sums.h"
#include "solvers/fmm/sum_tree.h"
#include "solvers/fmm/wide.h"

namespace tl {

/// Sizes of a lattice of order p.
struct LatticeSize {
    int p;  ///< points along each axis

    /// Steps by which the lattice is wider than the node.
    [[nodiscard]] TL_HD int overhang() const { return 1 + (p - 3) / 5; }
    [[nodiscard]] TL_HD int steps() const { return p - 1 - overhang(); }  ///< across a node
    /// Elements that values of convolutions have along each axis.
    [[nodiscard]] TL_HD int m() const { return 2 * p - 1; }
};

/// Matrices of one axis, in device memory. Rows of `wide` ones are padded with zeros to whole
/// lanes.
template <class Real>
struct LatticeTables {
    LatticeSize size;
    /// Factor of each point's polynomial: 1 / product of i - j over all other j.
    const Real* factors;
    /// Value at point a of the lower (0) or upper (1) child of the parent's polynomial i.
    const Real *up[2], *up_wide[2];      ///< [i][a], [a][i]
    const Real *down[2], *down_wide[2];  ///< [a][i], [i][a]
    /// Cosines and sines of 2 pi f b / m.
    const Real *cosines, *sines;            ///< [f][b], m x p
    const Real *cosines_wide, *sines_wide;  ///< [b][f], p x m
    const Real *cosines_back, *sines_back;  ///< [f][b], m x p, wide
};

}  // namespace tl

TL_DEVICE_BEGIN

namespace pairs {

/// Floats or doubles of a lattice, whose last axis is padded to whole lanes.
template <class Real>
[[nodiscard]] TL_HD std::size_t lattice_words(int p) {
    return std::size_t(p) * p * whole_lanes<Real>(p);
}

/// Longest padded row of a lattice.
constexpr int kMostRow = whole_lanes<double>(PairSumConfig::kMostOrder);
static_assert(whole_lanes<float>(PairSumConfig::kMostOrderSingle) <= kMostRow);

/// Place of a node's lattice in scaled space.
template <class Real>
struct LatticePlace {
    Real corner[3];  ///< of the node's cell
    Real step;
    Real first;  ///< index of the corner

    TL_D LatticePlace(const SumFrame& frame, const SumNode& node, LatticeSize size)
        : first(Real(0.5) * static_cast<Real>(size.overhang())) {
        auto edge = static_cast<Real>(1.0 / static_cast<double>(1u << node.level));
        step = edge / static_cast<Real>(size.steps());
        // Exact: multiples of 2^-21 of at most 2.
        for (int axis = 0; axis < 3; ++axis)
            corner[axis] =
                static_cast<Real>(frame.corner[axis]) + static_cast<Real>(node.cell[axis]) * edge;
    }
    /// Index of a position along an axis.
    [[nodiscard]] TL_D Real index(int axis, Real x) const {
        return (x - corner[axis]) / step + first;
    }
    /// Offset of a lattice point from the cell's corner.
    [[nodiscard]] TL_D Real offset(int i) const { return (static_cast<Real>(i) - first) * step; }
};

/// Sets the values, and if `slopes` is not null the derivatives, of all polynomials at index u; the
/// arrays are padded with zeros to whole lanes.
template <class Real>
TL_D void lattice_weights(int p, const Real* factors, Real u, Real* values, Real* slopes) {
    Real product = 1, slope = 0;
    for (int i = 0; i < p; ++i) {
        values[i] = product;
        if (slopes) slopes[i] = slope;
        Real distance = u - static_cast<Real>(i);
        slope = slope * distance + product;
        product *= distance;
    }
    product = 1;
    slope = 0;
    for (int i = p - 1; i >= 0; --i) {
        if (slopes) slopes[i] = factors[i] * (slopes[i] * product + values[i] * slope);
        values[i] *= factors[i] * product;
        Real distance = u - static_cast<Real>(i);
        slope = slope * distance + product;
        product *= distance;
    }
    for (int i = p; i < whole_lanes<Real>(p); ++i) {
        values[i] = 0;
        if (slopes) slopes[i] = 0;
    }
}

}  // namespace pairs

TL_DEVICE_END

// clang-format off
TL_FOR_DEVICES(
    /// Computes and uploads the tables, which lie in `memory`.
    template <class Real>
    LatticeTables<Real> make_lattice_tables(Stream& stream, int p, DeviceArray<Real>& memory);

    /// Strengths of all nodes' lattices from the strengths of places (P2M, M2M).
    template <class Real>
    void sum_strengths_upward(Stream& stream, const SumFrame& frame, const SumTree& tree,
                              const LatticeTables<Real>& tables,
                              View<const SumPoint<Real>> sources, View<Real> strengths);
    /// Adds the fields of parents to those of children, and those of leaves to the sums of their
    /// targets (L2L, L2P). A target has one sum, or four with its gradient.
    template <class Real>
    void add_fields_downward(Stream& stream, const SumFrame& frame, const SumTree& tree,
                             const LatticeTables<Real>& tables,
                             View<const SumPoint<Real>> targets, View<Real> fields,
                             View<Real> sums, bool gradient);
)
// clang-format on
