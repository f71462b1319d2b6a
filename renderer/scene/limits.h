// Limits on the size of a scene, for all files and generators.
#pragma once

#include <cstdint>

namespace tl {

/// Greatest magnitude of a coordinate: its square, and sums of those, stay far from overflow.
inline constexpr double kLargestCoordinate = 1e15;
/// Most triangles of one scene: the number of their corners stays below 2^32.
inline constexpr std::int64_t kMostTriangles = 1'000'000'000;

}  // namespace tl
