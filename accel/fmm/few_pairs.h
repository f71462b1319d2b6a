// The number of pairs of points below which direct summation is faster than expansions.
#pragma once

#include "accel/fmm/chebyshev.h"
#include "accel/fmm/find_links.h"

TL_DEVICE_BEGIN

/// Most pairs of points for which two nodes are summed point by point.
[[nodiscard]] TL_D inline std::uint32_t few_pairs(const FewPairs& few, const Box& a, const Box& b) {
    std::uint32_t n = few.of_whole;
    if (few.order == 0) return n;
    int n_flat = ExpansionBox(a, few.order).n_flat() + ExpansionBox(b, few.order).n_flat();
    for (int k = 0; k < n_flat; ++k) n /= static_cast<std::uint32_t>(few.order);
    return n;
}

TL_DEVICE_END
