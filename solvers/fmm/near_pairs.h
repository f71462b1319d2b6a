// Pairs that are summed one by one: points of neighbouring leaves (P2P), and where nodes of unequal
// size are far, lattice points of the smaller one and points of the larger one (M2P, P2L).
#pragma once

#include "solvers/fmm/lattice.h"
#include "solvers/fmm/pair_kernels.h"

namespace tl {

/// Places, or the lattice points of a node.
struct SourceList {
    std::uint32_t first;  ///< a place, or the node
    std::uint32_t n;      ///< number of places, or kLattice

    static constexpr std::uint32_t kLattice = ~0u;
};

/// Targets with the same sources: places, or the lattice points of a node.
struct TargetGroup {
    std::uint32_t first, n;  ///< of places; all lattice points for n = SourceList::kLattice
    std::uint32_t first_list, end_list;
    std::uint32_t node;  ///< that positions are relative to, or kNoNode
    std::uint32_t out;   ///< of the sum of the first target
};

struct PairLists {
    DeviceArray<TargetGroup> groups;
    DeviceArray<SourceList> lists;
};

/// Far nodes of unequal size with at most this many points of the smaller one are summed point by
/// point.
[[nodiscard]] inline std::uint32_t few_points(int p) {
    return static_cast<std::uint32_t>(p * p * p);
}

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sources of leaves' targets, and of lattices. Waits.
    void find_pair_lists(Scratch& scratch, const SumTree& tree, int p, PairLists& of_points,
                         PairLists& of_lattices);

    /// Where positions and strengths of groups and lists come from. Lattices are not read where no
    /// group or list has them.
    template <class Real>
    struct PairPoints {
        View<const SumPoint<Real>> sources, targets;
        SumFrame frame;
        View<const SumNode> nodes;
        LatticeSize size{};
        View<const Real> strengths{};
    };
    /// Sets the sums of targets, or adds them to fields of lattices. A target has one sum, or four
    /// with its gradient; lattice points have one.
    template <class Real>
    void sum_pair_lists(Stream& stream, const ScaledKernel& kernel, const PairPoints<Real>& points,
                        const PairLists& lists, View<Real> sums, bool gradient);
    /// Sets the sums of some targets over all sources, one by one.
    template <class Real>
    void sum_all_pairs(Scratch& scratch, const ScaledKernel& kernel,
                       View<const SumPoint<Real>> sources, View<const SumPoint<Real>> targets,
                       View<Real> sums, bool gradient);
)
// clang-format on
