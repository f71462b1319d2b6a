// Searches of many teams at once, whose number only the device knows.
#pragma once

#include "accel/parallel/block.h"
#include "accel/points/point_search.h"

TL_DEVICE_BEGIN

/// Memory of a team that needs none.
struct NoStorage {};

/// Threads of a block, of which each team has storage of its own.
#if defined(__CUDACC__)
inline constexpr int kSearchThreads = 128;
#else
inline constexpr int kSearchThreads = 1;
#endif

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

/// Calls op(team, storage, i) for i below count[0], on the device and at most `capacity`, from
/// every thread of a team.
template <class Storage, class Op>
void for_each_search(Stream& stream, const char* name, const std::uint32_t* count,
                     std::uint32_t capacity, const Op& op) {
    using Search = SearchBlock<Storage, Op>;
    // Several times as many as a GPU runs at once.
    constexpr std::uint32_t kMostBlocks = 1u << 14;
    std::uint32_t n_blocks = std::min(capacity / Search::kTeams + 1, kMostBlocks);
    launch_blocks<kSearchThreads>(stream, name, n_blocks, Search{op, count});
}

TL_DEVICE_END
