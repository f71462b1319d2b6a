// Sums over pairs of points, as options of the C interface say.
#pragma once

#include "library/api/guarded.h"
#include "solvers/fmm/pair_sums.h"

namespace tl {

/// Sums on the stream's device, and waits. `options` (null: the defaults) and `report` are those of
/// tl_fmm(). Throws what sum_over_pairs() does, and UserError for an unknown type.
[[nodiscard]] PairSums sum_by_options(Stream& stream, const PairSumInput& input,
                                      const tl_fmm_options* options, bool gradient,
                                      tl_fmm_report* report);

}  // namespace tl
