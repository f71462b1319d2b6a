// Alias tables: draw one of many items with probability proportional to its weight in constant time
// (Walker 1977, "An efficient method for generating discrete random variables with general
// distributions"; built as by Vose 1991).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/math.h"

namespace tl {

struct AliasEntry {
    float keep;           ///< probability of the entry itself, once its cell is chosen
    std::uint32_t other;  ///< entry drawn otherwise
    float probability;    ///< total probability of this entry
};
static_assert(sizeof(AliasEntry) == 12);

/// Returns the table of weights >= 0; empty where all are 0.
[[nodiscard]] std::vector<AliasEntry> make_alias_table(std::span<const double> weights);

/// Draws one of `n` entries by two random numbers in [0, 1).
TL_HD inline std::uint32_t draw_alias(const AliasEntry* table, std::uint32_t n, vec2 r) {
    auto met = static_cast<std::uint32_t>(r.x * static_cast<float>(n));
    if (met >= n) met = n - 1;
    return r.y < table[met].keep ? met : table[met].other;
}

}  // namespace tl
