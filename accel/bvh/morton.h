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

/// 63-bit code of a point within `bounds`, 21 bits an axis, x highest. A NaN coordinate counts as
/// the lower bound, an axis without extent gives zeros.
TL_HD inline std::uint64_t morton_code_63(vec3 p, const Box& bounds) {
    constexpr float kCells = 2097152.0f;  // 2^21
    std::uint64_t cell[3];
    for (int axis = 0; axis < 3; ++axis) {
        float extent = bounds.hi[axis] - bounds.lo[axis];
        float position = extent > 0 ? (p[axis] - bounds.lo[axis]) / extent * kCells : 0.0f;
        position = minimum(maximum(position, 0.0f), kCells - 1.0f);
        cell[axis] = static_cast<std::uint64_t>(position);
    }
    return spread_bits_3(cell[0]) << 2 | spread_bits_3(cell[1]) << 1 | spread_bits_3(cell[2]);
}

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
