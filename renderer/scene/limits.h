// Limits on a scene's numbers, for all files and generators.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/math.h"

namespace tl {

/// Greatest magnitude of a coordinate: its square, and sums of those, stay far from overflow.
inline constexpr double kLargestCoordinate = 1e15;
/// Largest radiance of a point of a cloud, W/(sr m^2).
inline constexpr float kLargestEmission = 1e9f;
/// Most triangles of one scene: the number of their corners stays below 2^32.
inline constexpr std::int64_t kMostTriangles = 1'000'000'000;

[[nodiscard]] inline bool is_finite(vec3 v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Texture coordinates, or 0 where one of them is not finite.
[[nodiscard]] inline vec2 finite_or_zero(vec2 uv) {
    return std::isfinite(uv.x) && std::isfinite(uv.y) ? uv : vec2(0);
}

}  // namespace tl
