// How large a scene may be, whatever describes it.
#pragma once

#include <cstdint>

namespace tl {

/// Greatest magnitude of a coordinate: its square, and sums of those, stay far from overflow.
inline constexpr double kLargestCoordinate = 1e15;
/// Triangles of one scene: the three corners of each stay below 2^32.
inline constexpr std::int64_t kMostTriangles = 1'000'000'000;

}  // namespace tl
