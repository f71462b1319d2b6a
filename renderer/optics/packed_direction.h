// Unit directions in few bits: the octahedron |x| + |y| + |z| = 1, unfolded to a square (Cigolle et
// al. 2014, "A survey of efficient representations for independent unit vectors").
#pragma once

#include <cstdint>

#include "core/base/math.h"

namespace tl {

/// Packs the direction into twice `kBits` bits; the error is at most about 2^(1 - kBits) radians.
template <int kBits>
TL_HD inline std::uint32_t pack_direction(vec3 d) {
    constexpr float kMost = (1u << kBits) - 1;
    float scale = 1 / (fabsf(d.x) + fabsf(d.y) + fabsf(d.z));
    float u = d.x * scale, v = d.y * scale;
    if (d.z < 0) {
        float unfolded = copysignf(1 - fabsf(v), u);
        v = copysignf(1 - fabsf(u), v);
        u = unfolded;
    }
    auto bits = [&](float x) {
        return static_cast<std::uint32_t>(minimum(maximum(0.5f * x + 0.5f, 0.0f), 1.0f) * kMost +
                                          0.5f);
    };
    return bits(u) | bits(v) << kBits;
}

template <int kBits>
TL_HD inline vec3 unpack_direction(std::uint32_t packed) {
    constexpr std::uint32_t kMost = (1u << kBits) - 1;
    auto number = [](std::uint32_t bits) {
        return static_cast<float>(bits & kMost) * (2.0f / static_cast<float>(kMost)) - 1;
    };
    vec3 d(number(packed), number(packed >> kBits), 0);
    d.z = 1 - fabsf(d.x) - fabsf(d.y);
    float fold = maximum(-d.z, 0.0f);
    d.x -= copysignf(fold, d.x);
    d.y -= copysignf(fold, d.y);
    return glm::normalize(d);
}

}  // namespace tl
