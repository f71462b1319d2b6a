// Dispatches sums to the basis and the order of their expansions, both template parameters.
#pragma once

#include "accel/fmm/expansions.h"
#include "accel/fmm/harmonics.h"
#include "accel/fmm/interpolation.h"

TL_DEVICE_BEGIN

/// Sources of a sum: the points of a tree, with a value each.
template <class Kernel>
struct Senders {
    OctreeView tree;
    View<const typename Kernel::Value> values;
};

/// Runs the passes with interpolation or harmonics, for an order known at compile time.
template <class Kernel, FmmBasis basis, int kOrder>
void sum_by_order(Scratch& scratch, const Senders<Kernel>& senders, const OctreeHeader& header,
                  const LinkTable& links, View<typename Kernel::Sum> sums, StageTimer& timer) {
    if constexpr (basis == FmmBasis::interpolation) {
        Interpolation<Kernel, kOrder> expansion{{senders.tree, senders.values, {}, {}}, {}};
        run_passes(scratch, expansion, header, links, sums, timer);
    } else {
        using Expansion = HarmonicExpansion<Kernel, kOrder>;
        Scratch::Scope scope(scratch);
        Stream& stream = scratch.stream();
        const SolidTable& table = Expansion::Harmonics::table();
        auto rows = scratch.take<SolidRow>(table.rows.size());
        auto products = scratch.take<SolidProduct>(table.products.size());
        stream.device().upload(stream, rows.data, table.rows.data(), rows.size * sizeof(SolidRow));
        stream.device().upload(stream, products.data, table.products.data(),
                               products.size * sizeof(SolidProduct));
        auto shifts = scratch.take<float>(std::size_t(header.n_nodes) * Expansion::kTerms);
        Expansion expansion{{senders.tree, senders.values, {}, {}}, rows, products, shifts};
        expansion.find_shifts(stream, header.n_nodes);
        run_passes(scratch, expansion, header, links, sums, timer);
    }
}

/// Calls sum_by_order() with the order as a template argument; throws UsageError if it is too
/// large.
template <class Kernel, FmmBasis basis, int kMost, int kOrder = FmmOrder::kLeast>
void sum_to_order(int order, Scratch& scratch, const Senders<Kernel>& senders,
                  const OctreeHeader& header, const LinkTable& links,
                  View<typename Kernel::Sum> sums, StageTimer& timer) {
    if constexpr (kOrder <= kMost) {
        if (order == kOrder)
            sum_by_order<Kernel, basis, kOrder>(scratch, senders, header, links, sums, timer);
        else
            sum_to_order<Kernel, basis, kMost, kOrder + 1>(order, scratch, senders, header, links,
                                                           sums, timer);
    } else {
        throw UsageError("the order of these expansions is " + std::to_string(FmmOrder::kLeast) +
                         " to " + std::to_string(kMost) + ", not " + std::to_string(order));
    }
}

template <class Kernel>
void sum_by_expansion(FmmExpansion expansion, Scratch& scratch, const Senders<Kernel>& senders,
                      const OctreeHeader& header, const LinkTable& links,
                      View<typename Kernel::Sum> sums, StageTimer& timer) {
    if (expansion.basis == FmmBasis::interpolation)
        sum_to_order<Kernel, FmmBasis::interpolation, FmmOrder::kMost>(
            expansion.order, scratch, senders, header, links, sums, timer);
    else
        sum_to_order<Kernel, FmmBasis::harmonics, FmmOrder::kMostHarmonics>(
            expansion.order, scratch, senders, header, links, sums, timer);
}

TL_DEVICE_END
