// Chooses expansions, leaf size and links of the fast multipole method for a requested error.
#pragma once

#include "accel/fmm/find_links.h"
#include "accel/fmm/fmm_expansion.h"

namespace tl {

/// Kernel of the sum: see kernels.h.
enum class FmmKernel : int { inverse_distance, radiosity };

struct FmmChoice {
    FmmExpansion expansion;
    int leaf_size = 64;
    LinkConfig links;
};

struct FmmErrors {
    static constexpr float kLeast = 1e-5f, kMost = 1e-1f;
};

/// The fastest choice measured to keep the root mean square of errors within `error` of that of
/// sums, for non-negative values. Throws UsageError unless `error` is in the range of FmmErrors.
[[nodiscard]] FmmChoice choose_fmm(FmmKernel kernel, float error,
                                   FmmBasis basis = FmmBasis::interpolation);

/// Number of pairs of a source term and a target term that a link by expansions sums. For series
/// only pairs whose degrees add up to less than the order count.
[[nodiscard]] std::uint32_t pairs_of_terms(FmmKernel kernel, FmmExpansion expansion);

}  // namespace tl
