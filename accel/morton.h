// Morton codes: the bits of three quantised coordinates, interleaved.
#pragma once

#include "accel/box.h"

namespace tl {

/// Spreads the low 21 bits of `x` so that two zero bits follow each.
TL_HD inline std::uint64_t spread_bits_3(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}
TL_HD inline std::uint32_t spread_bits_3(std::uint32_t x) {
    x &= 0x3ff;
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}
/// Spreads the bits of `x` (the low half of its type) so that one zero bit follows each.
TL_HD inline std::uint64_t spread_bits_2(std::uint64_t x) {
    x &= 0xffffffffu;
    x = (x | x << 16) & 0x0000ffff0000ffffull;
    x = (x | x << 8) & 0x00ff00ff00ff00ffull;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
    x = (x | x << 2) & 0x3333333333333333ull;
    return (x | x << 1) & 0x5555555555555555ull;
}
TL_HD inline std::uint32_t spread_bits_2(std::uint32_t x) {
    x &= 0xffffu;
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

/// Distribution of a code's bits over the axes. Each bit halves the axis along which the cells are
/// longest, so that cells stay near cubes in flat and long scenes too. The longest axis' surplus
/// bits come first; then the two longest axes alternate, then all three.
struct MortonGrid {
    vec3 lo{0};
    vec3 scale{0};      ///< cells per length
    vec3 last_cell{0};  ///< highest cell of each axis
    int axes[3];        ///< sorted by number of bits, descending
    int n_turns_3;      ///< bits of the axis with the fewest
    int n_turns_2;      ///< bits that the second axis has beyond n_turns_3

    /// Bits per axis; a float coordinate cannot resolve a position within the bounds any finer.
    static constexpr int kMaxAxisBits = 23;

    /// The grid for codes of `n_bits` (up to 63) of points within `bounds`.
    TL_HD static MortonGrid make(const Box& bounds, int n_bits) {
        MortonGrid grid;
        vec3 extent = glm::max(bounds.hi - bounds.lo, vec3(0));
        vec3 cell = extent;
        int bits[3] = {0, 0, 0};
        for (int bit = 0; bit < n_bits; ++bit) {
            int axis = cell.x >= cell.y ? (cell.x >= cell.z ? 0 : 2) : (cell.y >= cell.z ? 1 : 2);
            cell[axis] = ++bits[axis] == kMaxAxisBits ? -1.0f : cell[axis] * 0.5f;
        }
        grid.lo = bounds.lo;
        for (int axis = 0; axis < 3; ++axis) {
            auto n_cells = static_cast<float>(1u << bits[axis]);
            grid.last_cell[axis] = n_cells - 1;
            grid.scale[axis] = extent[axis] > 0 ? n_cells / extent[axis] : 0.0f;
            if (!(grid.scale[axis] < kInfinity)) grid.scale[axis] = 0;
        }
        int a = bits[0] >= bits[1] ? (bits[0] >= bits[2] ? 0 : 2) : (bits[1] >= bits[2] ? 1 : 2);
        int b = (a + 1) % 3, c = (a + 2) % 3;
        if (bits[b] < bits[c]) {
            int swap = b;
            b = c;
            c = swap;
        }
        grid.axes[0] = a;
        grid.axes[1] = b;
        grid.axes[2] = c;
        grid.n_turns_3 = bits[c];
        grid.n_turns_2 = bits[b] - bits[c];
        return grid;
    }
    TL_HD std::uint32_t cell(vec3 p, int axis) const {
        float position = (p[axis] - lo[axis]) * scale[axis];
        return static_cast<std::uint32_t>(minimum(maximum(position, 0.0f), last_cell[axis]));
    }
    /// The code of a point; a coordinate outside the bounds is clamped to them. Code is
    /// std::uint32_t for up to 30 bits, else std::uint64_t.
    template <class Code>
    TL_HD Code code(vec3 p) const {
        Code a = cell(p, axes[0]), b = cell(p, axes[1]), c = cell(p, axes[2]);
        Code low3 = (Code(1) << n_turns_3) - 1, low2 = (Code(1) << n_turns_2) - 1;
        Code turns_3 = spread_bits_3(static_cast<Code>(a & low3)) << 2 |
                       spread_bits_3(static_cast<Code>(b & low3)) << 1 |
                       spread_bits_3(static_cast<Code>(c & low3));
        a >>= n_turns_3;
        b >>= n_turns_3;
        Code turns_2 = spread_bits_2(static_cast<Code>(a & low2)) << 1 | spread_bits_2(b);
        a >>= n_turns_2;
        return (a << (2 * n_turns_2) | turns_2) << (3 * n_turns_3) | turns_3;
    }
};

/// Position in a Morton-ordered square: even bits of `code` give x, odd ones y.
TL_HD inline glm::uvec2 morton_decode_2(std::uint32_t code) {
    std::uint32_t xy[2] = {code, code >> 1};
    for (auto& x : xy) {
        x &= 0x55555555u;
        x = (x | x >> 1) & 0x33333333u;
        x = (x | x >> 2) & 0x0f0f0f0fu;
        x = (x | x >> 4) & 0x00ff00ffu;
        x = (x | x >> 8) & 0x0000ffffu;
    }
    return {xy[0], xy[1]};
}

}  // namespace tl
