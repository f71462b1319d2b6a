// Options and reports of sums over pairs of points in the C interface.
#pragma once

#include "library/api/guarded.h"
#include "solvers/fmm/pair_sums.h"

namespace tl {

/// Reads a caller's options; null: the defaults. Throws UserError for an unknown type and settings
/// out of range, UsageError for an unknown kernel.
[[nodiscard]] tl_status read_fmm_options(const tl_fmm_options* options, bool gradient,
                                         PairSumConfig& config);
/// Checks a caller's report, which may be null, before sums are computed.
[[nodiscard]] tl_status check_fmm_report(const tl_fmm_report* report);
/// Fills a caller's report, which has been checked or is null.
void write_fmm_report(const PairSumReport& found, tl_fmm_report* report);

}  // namespace tl
