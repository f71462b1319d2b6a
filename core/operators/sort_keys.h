// Sorts keys without values, for keys that hold them, such as numbers in their lower bits.
#pragma once

#include "core/device/array.h"

// clang-format off
TL_FOR_DEVICES(
    /// Stable radix sort by bits [begin_bit, end_bit) of the keys. Returns `keys` or `spare`,
    /// whichever holds the result; the other one is overwritten.
    [[nodiscard]] View<std::uint64_t> sort_keys(Scratch& scratch, View<std::uint64_t> keys,
                                                View<std::uint64_t> spare, int begin_bit,
                                                int end_bit);
)
// clang-format on
