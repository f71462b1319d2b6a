// What a sum by expansions takes to have the requested error.
#pragma once

#include "accel/fmm/find_links.h"
#include "accel/fmm/fmm_form.h"

namespace tl {

/// What is summed: see kernels.h.
enum class FmmKernel : int { inverse_distance, radiosity };

struct FmmChoice {
    FmmForm form;
    int leaf_size = 64;
    LinkConfig links;
};

struct FmmErrors {
    static constexpr float kLeast = 1e-5f, kMost = 1e-1f;
};

/// The fastest choice that was measured to keep the root mean square of errors within `error` of
/// that of sums, for values that are not negative. Throws UsageError unless `error` is as FmmErrors
/// has it.
[[nodiscard]] FmmChoice choose_fmm(FmmKernel kernel, float error,
                                   FmmExpansion expansion = FmmExpansion::interpolation);

/// How many pairs of a term of the source and one of the target a link by expansions sums: of
/// series those whose degrees together are below the order.
[[nodiscard]] std::uint32_t pairs_of_terms(FmmKernel kernel, FmmForm form);

}  // namespace tl
