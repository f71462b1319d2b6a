// What builders that split many nodes at once, level by level, share: a level's references are cut
// into chunks, each within one node, and blocks walk over the chunks.
#pragma once

#include "accel/bvh/builders/ordered_box.h"

namespace tl {

/// References [offset, offset + kSize) of a node, or what is left of them.
struct LevelChunk {
    static constexpr std::uint32_t kSize = 1024;
    static constexpr int kThreads = 256;
    std::uint32_t node;
    std::uint32_t offset;

    TL_HD static std::uint32_t count_of(std::uint32_t n_references) {
        return (n_references + kSize - 1) / kSize;
    }
    /// Most chunks that `n_nodes` nodes with `n_references` in all are cut into.
    static std::size_t most(std::size_t n_references, std::size_t n_nodes) {
        return n_references / kSize + n_nodes + 1;
    }
    TL_HD std::uint32_t size_in(std::uint32_t n_references) const {
        std::uint32_t rest = n_references - offset;
        return rest < kSize ? rest : kSize;
    }
};

/// How far a level's lists are filled. One for each level, all zeroed before the first.
struct LevelCounters {
    std::uint32_t n_nodes = 0;
    std::uint32_t n_chunks = 0;
    std::uint32_t n_bins = 0;        ///< nodes of more than one chunk, whose blocks share bins
    std::uint32_t n_references = 0;  ///< where places are handed out
};

/// Blocks to walk over up to `n_items`: eight to each of 132 SMs, which the CPU takes as tasks.
inline std::uint32_t walking_blocks(std::size_t n_items) {
    return static_cast<std::uint32_t>(n_items < 1056 ? n_items : 1056);
}

/// Levels in which nodes of up to `n` references come down to `small_size` unless every other split
/// is very uneven, and the halvings that always do.
struct LevelCap {
    int n_levels = 0;
    int n_halvings = 0;

    static LevelCap of(std::size_t n, std::size_t small_size) {
        LevelCap cap;
        while (n > small_size) {
            n = (n + 1) / 2;
            ++cap.n_halvings;
        }
        cap.n_levels = cap.n_halvings ? 2 * cap.n_halvings + 12 : 0;
        return cap;
    }
    [[nodiscard]] int total() const { return n_levels + n_halvings; }
};

}  // namespace tl
