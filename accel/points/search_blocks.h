// Launch of many searches, one team each, whose number is known only on the device.
#pragma once

#include "accel/points/point_search.h"
#include "core/device/block.h"

TL_DEVICE_BEGIN

/// Storage of a team that needs none.
struct NoStorage {};

/// Threads of a block. Each team of the block has its own storage.
#if defined(__CUDACC__)
inline constexpr int kSearchThreads = 128;
#else
inline constexpr int kSearchThreads = 1;
#endif

/// Kernel of for_each_search().
template <class Storage, class Op>
struct SearchBlock {
    static constexpr std::uint32_t kTeams = kSearchThreads / Team::kThreads;
    struct Shared {
        Storage of_team[kTeams];
    };
    Op op;
    const std::uint32_t* count;

    TL_D void operator()(const Block<kSearchThreads>& block, Shared& shared) const {
        std::uint32_t own = block.rank / Team::kThreads;
        for (std::uint32_t i = block.index * kTeams + own; i < *count; i += block.n_blocks * kTeams)
            op(Team(), shared.of_team[own], i);
    }
};

/// Calls op(team, storage, i) for every i below count[0], from every thread of a team. `count` is
/// on the device; count[0] is at most `capacity`.
template <class Storage, class Op>
void for_each_search(Stream& stream, const char* name, const std::uint32_t* count,
                     std::uint32_t capacity, const Op& op) {
    using Search = SearchBlock<Storage, Op>;
    // Several times the number of blocks that a GPU runs at once.
    constexpr std::uint32_t kMostBlocks = 1u << 14;
    std::uint32_t n_blocks = std::min(capacity / Search::kTeams + 1, kMostBlocks);
    launch_blocks<kSearchThreads>(stream, name, n_blocks, Search{op, count});
}

TL_DEVICE_END
