// The pixels of a film that one of several processes or devices samples.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/macros.h"
#include "core/base/math.h"

namespace tl {

/// Value of a low-discrepancy sequence at a position on a grid, as a 32-bit fraction of 1.
/// Neighbouring positions have values spread evenly over [0, 1), so that an interval of values
/// selects positions all over the grid. It is the fractional part of x / g + y / g^2 with the
/// plastic number g, g^3 = g + 1: Roberts's additive sequence in two dimensions (2018).
[[nodiscard]] TL_HD inline std::uint32_t spread_of(std::uint32_t x, std::uint32_t y) {
    return x * 3242174889u + y * 2447445414u;
}

/// Rectangle of pixels, row 0 at the top: from (left, top) to (right, bottom), these excluded. All
/// pixels unless it is set.
struct FilmRegion {
    std::uint32_t left = 0, top = 0, right = UINT32_MAX, bottom = UINT32_MAX;

    [[nodiscard]] bool is_whole() const { return *this == FilmRegion{}; }
    [[nodiscard]] TL_HD bool holds(std::uint32_t x, std::uint32_t y) const {
        return left <= x && x < right && top <= y && y < bottom;
    }
    /// Whether it shares pixels with the square of `size` pixels a side whose first one is (x, y).
    [[nodiscard]] TL_HD bool meets(std::uint32_t x, std::uint32_t y, std::uint32_t size) const {
        return left < x + size && x < right && top < y + size && y < bottom;
    }
    bool operator==(const FilmRegion&) const = default;
};

/// Pixels of a film that belong to one process or device: square tiles, finely interleaved with
/// those of the others. A tile belongs to the share whose range [begin, end) holds the tile's
/// spread_of(); coordinates are those of tiles. Nobody samples pixels outside of the region.
struct FilmShare {
    static constexpr std::uint32_t kTile = 16;                     ///< pixels a side
    static constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;  ///< the end of all ranges
    std::uint64_t begin = 0, end = kEnd;
    FilmRegion region{};  ///< the same for all processes and devices

    /// Share `index` of `count` equal ones.
    [[nodiscard]] static FilmShare of(std::uint32_t index, std::uint32_t count) {
        return {(index * kEnd + count - 1) / count, ((index + 1) * kEnd + count - 1) / count};
    }
    /// The part of this share between the fractions `from` and `to`.
    [[nodiscard]] FilmShare part(double from, double to) const {
        auto at = [this](double fraction) {
            return begin + static_cast<std::uint64_t>(fraction * static_cast<double>(end - begin));
        };
        return {at(from), to >= 1 ? end : at(to), region};
    }
    [[nodiscard]] bool is_whole() const { return begin == 0 && end == kEnd && region.is_whole(); }
    /// Whether the share owns pixels of the tile in column `x` and row `y` of tiles.
    [[nodiscard]] TL_HD bool owns_tile(std::uint32_t x, std::uint32_t y) const {
        std::uint32_t spread = spread_of(x, y);
        return begin <= spread && spread < end && region.meets(x * kTile, y * kTile, kTile);
    }
    /// Whether it owns the pixel in column `x` and row `y`.
    [[nodiscard]] TL_HD bool owns(std::uint32_t x, std::uint32_t y) const {
        return owns_tile(x / kTile, y / kTile) && region.holds(x, y);
    }
    /// Row-major indices of the tiles that it owns in a picture.
    [[nodiscard]] std::vector<std::uint32_t> tiles_of(Extent extent) const;
    bool operator==(const FilmShare&) const = default;
};

/// The number of tiles along `pixels` pixels.
[[nodiscard]] constexpr std::uint32_t tiles_along(int pixels) {
    return (static_cast<std::uint32_t>(pixels) + FilmShare::kTile - 1) / FilmShare::kTile;
}

}  // namespace tl
