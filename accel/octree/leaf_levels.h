// On which level the leaf of each point is, for builders that start from sorted keys.
//
// A cell of level l has more than N points where N + 1 neighbours in the order have l levels in
// common. So the leaf of point i is one level below the most levels that any N + 1 neighbours with
// point i among them have in common: the maximum of a window that slides over the keys.
#pragma once

#include "accel/octree/octree_keys.h"
#include "accel/parallel/block.h"

TL_DEVICE_BEGIN

/// Keys that are sorted, perhaps by their upper bits alone.
struct LevelKeys {
    View<const std::uint64_t> words;
    int n_number_bits = 0;  ///< the lowest ones of a word, which are not the key's
    int n_left_out = 0;     ///< the key's lowest bits, which words do not have

    [[nodiscard]] TL_D std::uint64_t operator[](std::uint32_t i) const {
        return words[i] >> n_number_bits << n_left_out;
    }
};

/// A point in the order, as nodes begin and end there; i = n is the end of all.
struct LevelStep {
    int common;    ///< levels in common with the point before; -1 for the first, and at the end
    int leaf;      ///< level of the point's leaf; -1 at the end
    int previous;  ///< level of the leaf of the point before; -1 for the first

    /// The point's leaf begins here, with its ancestors below the common level.
    [[nodiscard]] TL_D bool begins(int level) const { return common < level && level <= leaf; }
    /// The same for the leaf of the point before, which ends here.
    [[nodiscard]] TL_D bool ends(int level) const { return common < level && level <= previous; }
    [[nodiscard]] TL_D bool is_step() const { return common < leaf || common < previous; }
    /// In 15 bits, to be kept.
    [[nodiscard]] TL_D std::uint16_t packed() const {
        return static_cast<std::uint16_t>((common + 1) | (leaf + 1) << 5 | (previous + 1) << 10);
    }
    [[nodiscard]] TL_D static LevelStep from(std::uint16_t packed) {
        return {(packed & 31) - 1, (packed >> 5 & 31) - 1, (packed >> 10) - 1};
    }
    /// The same in a tree without levels below `last`.
    [[nodiscard]] TL_D LevelStep above(int last) const {
        return {common, leaf < last ? leaf : last, previous < last ? previous : last};
    }
    /// A bit for each level on which a node begins.
    [[nodiscard]] TL_D std::uint32_t beginning() const {
        return common < leaf ? (2u << leaf) - (1u << (common + 1)) : 0;
    }
};

/// The points [first, first + kSize) and the leaf levels around them, found by a block.
struct LevelTile {
    static constexpr std::uint32_t kSize = 1024;
    static constexpr int kThreads = 256;
    /// Windows that reach into the tile, and the leaf level of the point before it.
    static constexpr std::uint32_t kRoom = kSize + OctreeConfig::kMostLeafSize + 2;

    struct Shared {
        std::uint8_t levels[2][kRoom];
    };

    LevelKeys keys;
    std::uint32_t n;          ///< points
    std::uint32_t leaf_size;  ///< N
    int last_level;
    std::uint32_t first;
    const std::uint8_t* leaves = nullptr;  ///< leaf levels from point first - 1 on

    /// Called by all threads of the block.
    TL_D void find_leaves(const Block<kThreads>& block, Shared& shared) {
        // Levels that the points from j to j + N have in common, and one more.
        std::uint32_t n_windows = kSize + leaf_size + 1;
        for (std::uint32_t k = block.rank; k < n_windows; k += block.size) {
            std::uint32_t j = first + k - leaf_size - 1;  // wraps around where it is negative
            bool is_whole = j < n && n - j > leaf_size;
            shared.levels[0][k] = static_cast<std::uint8_t>(
                is_whole ? 1 + common_levels(keys[j], keys[j + leaf_size]) : 0);
        }
        // Maxima over 2, 4, 8, ... windows, and at last over all N + 1 that point i is in.
        std::uint32_t width = 1, to = 1;
        while (width < leaf_size + 1) {
            std::uint32_t step = 2 * width <= leaf_size + 1 ? width : leaf_size + 1 - width;
            block.sync();
            const std::uint8_t* from = shared.levels[to ^ 1];
            std::uint32_t n_left = n_windows - width - step + 1;
            for (std::uint32_t k = block.rank; k < n_left; k += block.size) {
                std::uint8_t a = from[k], b = from[k + step];
                shared.levels[to][k] = a > b ? a : b;
            }
            width += step;
            to ^= 1;
        }
        block.sync();
        leaves = shared.levels[to ^ 1];
    }
    [[nodiscard]] TL_D LevelStep step(std::uint32_t i) const {
        if (i > n) return {-1, -1, -1};
        LevelStep step;
        step.common = i == 0 || i == n ? -1 : common_levels(keys[i - 1], keys[i]);
        step.leaf = i == n ? -1 : leaves[i - first + 1];
        step.previous = i == 0 ? -1 : leaves[i - first];
        return step.above(last_level);
    }
};

TL_DEVICE_END
