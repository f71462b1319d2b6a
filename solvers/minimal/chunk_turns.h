// Chunks of a table that take turns in two buffers, so that copies and work on both processors
// overlap.
#pragma once

#include <algorithm>
#include <cstddef>

#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {

/// Instances of a table, from the first one on.
struct InstanceRange {
    std::size_t first, count;
};

/// Calls chunk.start(range) and chunk.finish(range) for all chunks of up to `size` instances: while
/// one is with the device, the next one is started. Chunks alternate between `even` and `odd`.
/// `poll` is called after each; it may throw.
template <class Chunk>
void take_turns(Chunk& even, Chunk& odd, std::size_t count, std::size_t size,
                const ProgressPoll& poll) {
    auto range_from = [&](std::size_t first) {
        return InstanceRange{first, std::min(size, count - first)};
    };
    auto chunk_from = [&](std::size_t first) -> Chunk& { return first / size % 2 ? odd : even; };
    auto finish = [&](std::size_t first) {
        auto range = range_from(first);
        chunk_from(first).finish(range);
        if (poll) poll(static_cast<double>(first + range.count) / static_cast<double>(count));
    };
    for (std::size_t first = 0; first < count; first += size) {
        chunk_from(first).start(range_from(first));
        if (first > 0) finish(first - size);
    }
    if (count > 0) finish((count - 1) / size * size);
}

}  // namespace tl::minimal
