// Loops over the points of a cloud on all cores of the host.
#pragma once

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace tl {

/// Points of one task. Sums over chunks do not depend on the number of threads.
inline constexpr std::size_t kChunkOfPoints = 1024;

/// Calls `use(chunk, first, end)` for consecutive chunks of `n` points, in any order.
template <class Use>
void for_each_chunk(std::size_t n, Use&& use) {
    tbb::parallel_for(std::size_t{0}, (n + kChunkOfPoints - 1) / kChunkOfPoints,
                      [&](std::size_t chunk) {
                          std::size_t first = chunk * kChunkOfPoints;
                          use(chunk, first, std::min(first + kChunkOfPoints, n));
                      });
}

/// Calls `use(point)` for all of `n` points, in any order.
template <class Use>
void for_each_point(std::size_t n, Use&& use) {
    for_each_chunk(n, [&](std::size_t, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) use(i);
    });
}

}  // namespace tl
