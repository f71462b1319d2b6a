// The pixels of a film that one of several processes samples.
#pragma once

#include <cstdint>

#include "core/base/macros.h"

namespace tl {

/// Number of a position on a grid, whose upper bits are spread evenly over all parts of the grid.
/// It is the fraction of x g^-1 + y g^-2, scaled to 2^32, where g^3 = g + 1: Roberts's additive
/// sequence in two dimensions (2018), whose points are spread most evenly.
[[nodiscard]] TL_HD inline std::uint32_t spread_of(std::uint32_t x, std::uint32_t y) {
    return x * 3242174889u + y * 2447445414u;
}

/// Pixels of a film that belong to one process: square tiles, finely interleaved with those of the
/// others.
struct FilmShare {
    static constexpr std::uint32_t kTile = 16;  ///< pixels a side
    std::uint32_t index = 0, count = 1;

    [[nodiscard]] TL_HD bool owns(std::uint32_t x, std::uint32_t y) const {
        auto owner = std::uint64_t(spread_of(x / kTile, y / kTile)) * count >> 32;
        return static_cast<std::uint32_t>(owner) == index;
    }
};

}  // namespace tl
