// Level of the leaf of each point, for builders that start from sorted keys.
//
// A cell of level l has more than N points if N + 1 consecutive keys share l levels. The leaf of
// point i is thus one level below the deepest level shared by N + 1 consecutive keys that include
// key i. This is a sliding-window maximum over the keys.
#pragma once

#include "accel/octree/octree_keys.h"
#include "core/device/block.h"

TL_DEVICE_BEGIN

/// Sorted keys, possibly sorted by their upper bits only.
struct LevelKeys {
    View<const std::uint64_t> words;
    int n_number_bits = 0;  ///< lowest bits of a word that hold a point's number, not its key
    int n_left_out = 0;     ///< lowest bits of the key, which words omit

    [[nodiscard]] TL_D std::uint64_t operator[](std::uint32_t i) const {
        return words[i] >> n_number_bits << n_left_out;
    }
};

/// Boundary before point i of the order, where nodes begin and end; i = n is the end of the order.
struct LevelStep {
    int common;    ///< levels shared with the previous point; -1 for the first, and at the end
    int leaf;      ///< level of the point's leaf; -1 at the end
    int previous;  ///< level of the previous point's leaf; -1 for the first

    /// Whether a node of `level` begins here: the point's leaf or its ancestor below `common`.
    [[nodiscard]] TL_D bool begins(int level) const { return common < level && level <= leaf; }
    /// Whether a node of `level` ends here: the previous point's leaf or its ancestor.
    [[nodiscard]] TL_D bool ends(int level) const { return common < level && level <= previous; }
    /// Whether any node begins or ends here.
    [[nodiscard]] TL_D bool is_step() const { return common < leaf || common < previous; }
    /// Packs the boundary into 15 bits for storage.
    [[nodiscard]] TL_D std::uint16_t packed() const {
        return static_cast<std::uint16_t>((common + 1) | (leaf + 1) << 5 | (previous + 1) << 10);
    }
    [[nodiscard]] TL_D static LevelStep from(std::uint16_t packed) {
        return {(packed & 31) - 1, (packed >> 5 & 31) - 1, (packed >> 10) - 1};
    }
    /// Returns the boundary in a tree without levels below `last`.
    [[nodiscard]] TL_D LevelStep above(int last) const {
        return {common, leaf < last ? leaf : last, previous < last ? previous : last};
    }
    /// Returns a mask with a bit for each level on which a node begins.
    [[nodiscard]] TL_D std::uint32_t beginning() const {
        return common < leaf ? (2u << leaf) - (1u << (common + 1)) : 0;
    }
};

/// Tile of points [first, first + kSize) with their leaf levels, computed by a block.
struct LevelTile {
    static constexpr std::uint32_t kSize = 1024;
    static constexpr int kThreads = 256;
    /// Capacity for the windows that overlap the tile, and for the leaf level of the point before.
    static constexpr std::uint32_t kRoom = kSize + OctreeConfig::kMostLeafSize + 2;

    struct Shared {
        std::uint8_t levels[2][kRoom];
    };

    LevelKeys keys;
    std::uint32_t n;          ///< number of points of the tree
    std::uint32_t leaf_size;  ///< N
    int last_level;
    std::uint32_t first;
    const std::uint8_t* leaves = nullptr;  ///< leaf levels from point first - 1 on

    /// Computes the leaf levels. Called by all threads of the block.
    TL_D void find_leaves(const Block<kThreads>& block, Shared& shared) {
        // Levels shared by the points from j to j + N, plus one.
        std::uint32_t n_windows = kSize + leaf_size + 1;
        for (std::uint32_t k = block.rank; k < n_windows; k += block.size) {
            std::uint32_t j = first + k - leaf_size - 1;  // wraps around if negative
            bool is_whole = j < n && n - j > leaf_size;
            shared.levels[0][k] = static_cast<std::uint8_t>(
                is_whole ? 1 + common_levels(keys[j], keys[j + leaf_size]) : 0);
        }
        // Maxima over 2, 4, 8, ... windows, and finally over all N + 1 that contain point i.
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
