// Sums over pairs on one device: what pair_sums.cpp calls once the input has been checked.
#pragma once

#include "solvers/fmm/pair_sums.h"
#include "solvers/fmm/sum_tree.h"

namespace tl {

/// Order of lattices whose sums of inverse distances have this error, as measured.
[[nodiscard]] int order_for(const PairSumConfig& config, double tolerance);
/// The most points of a leaf that are fastest with lattices of this order.
[[nodiscard]] int leaf_for(const PairSumConfig& config, int order);

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    template <class Real>
    void sum_pairs_on_device(Stream& stream, const DevicePairs& pairs,
                             const PairSumConfig& config, SolverRun& run, PairSumReport& report);
)
// clang-format on
