// Level-synchronous splitting of many nodes: shared code of builders. A level's references are
// divided into chunks, each within one node, and blocks loop over the chunks.
#pragma once

#include "accel/bvh/builders/ordered_box.h"
#include "core/device/array.h"

namespace tl {

/// Chunk of a node: its references [offset, offset + kSize), or fewer at its end.
struct LevelChunk {
    static constexpr std::uint32_t kSize = 1024;
    static constexpr int kThreads = 256;
    std::uint32_t node;
    std::uint32_t offset;

    TL_HD static std::uint32_t count_of(std::uint32_t n_references) {
        return (n_references + kSize - 1) / kSize;
    }
    /// Upper bound of the chunks of `n_nodes` nodes with `n_references` in total.
    static std::size_t most(std::size_t n_references, std::size_t n_nodes) {
        return n_references / kSize + n_nodes + 1;
    }
    TL_HD std::uint32_t size_in(std::uint32_t n_references) const {
        std::uint32_t rest = n_references - offset;
        return rest < kSize ? rest : kSize;
    }
};

/// Sizes of a level's lists so far. One element per level, all set to zero before the first level.
struct LevelCounters {
    std::uint32_t n_nodes = 0;
    std::uint32_t n_chunks = 0;
    std::uint32_t n_bins = 0;        ///< nodes of several chunks, whose blocks share bins
    std::uint32_t n_references = 0;  ///< position of the next reference to append
};

/// Limits on the number of levels. n_levels levels split nodes of up to `n` references down to
/// `small_size`, unless every other split is very uneven. n_halvings further levels halve nodes,
/// which always suffices.
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

TL_DEVICE_BEGIN

using LevelBlock = Block<LevelChunk::kThreads>;

/// Large node that has been allocated, but whose chunks are not written yet.
struct NewNode {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    std::uint32_t index = kNone;  ///< index among its level's nodes
    std::uint32_t n_chunks = 0, first_chunk = 0;
};

/// Lists of the nodes of a level and of their chunks.
template <class Node>
struct LevelNodes {
    View<Node> nodes;
    View<LevelChunk> chunks;
    LevelCounters* counters = nullptr;

    /// Reserves capacity for nodes of more than `small_size` references each, and of at most
    /// `n_references` in total.
    static LevelNodes take(Scratch& scratch, std::size_t n_references, std::size_t small_size) {
        std::size_t most_nodes = n_references / (small_size + 1) + 1;
        return {scratch.take<Node>(most_nodes),
                scratch.take<LevelChunk>(LevelChunk::most(n_references, most_nodes))};
    }
    TL_D NewNode add(const Node& node, std::uint32_t n_references) const {
        NewNode added;
        added.n_chunks = LevelChunk::count_of(n_references);
        added.index = atomic_add(&counters->n_nodes, 1);
        added.first_chunk = atomic_add(&counters->n_chunks, added.n_chunks);
        nodes[added.index] = node;
        return added;
    }
    /// Writes the chunks of a node; does nothing if it was not allocated. Called by all threads of
    /// the block.
    TL_D void write_chunks(const LevelBlock& block, const NewNode& added) const {
        for (std::uint32_t i = block.rank; i < added.n_chunks; i += block.size)
            chunks[added.first_chunk + i] = {added.index, i * LevelChunk::kSize};
    }
    /// Calls visit(chunk, node) for the chunks of this block, by all its threads. Synchronises the
    /// threads before each call, so that shared memory may be overwritten.
    template <class Visit>
    TL_D void walk(const LevelBlock& block, Visit visit) const {
        std::uint32_t n_chunks = counters->n_chunks;
        for (std::uint32_t c = block.index; c < n_chunks; c += block.n_blocks) {
            block.sync();
            LevelChunk chunk = chunks[c];
            visit(chunk, nodes[chunk.node]);
        }
    }
};

/// Whether all `n_chunks` of a node have been merged; load_fresh then returns the results. Called
/// by one thread of each block once the block has merged its results for a chunk.
TL_D inline bool is_last_chunk(std::uint32_t* n_done, std::uint32_t n_chunks) {
    fence();
    bool is_last = atomic_add(n_done, 1) + 1 == n_chunks;
    fence();
    return is_last;
}

/// State of one level, passed to its kernels.
template <class Level>
struct LevelPass {
    Level now, next;
    std::uint32_t buffer = 0;  ///< index of the buffer with this level's references
    bool halve = false;        ///< halve nodes by position, to limit the number of levels
};

/// Launches blocks that loop over up to `n_items`: at most eight blocks on each of 132 SMs. On the
/// CPU a block is a task.
template <class Shared, class Pass>
void launch_walk(Stream& stream, const char* name, std::size_t n_items, const Pass& pass) {
    launch_blocks<LevelChunk::kThreads, Shared>(
        stream, name, static_cast<std::uint32_t>(n_items < 1056 ? n_items : 1056), pass);
}

/// Launches the kernels of all levels for nodes of up to `n` references. start(pass) appends the
/// nodes of the first level; each(pass) then processes every level. Levels alternate between two
/// sets of lists. `Pass` is a LevelPass.
template <class Pass, class Level, class Start, class Each>
void launch_levels(Scratch& scratch, Pass pass, const Level (&levels)[2], std::size_t n,
                   std::size_t small_size, Start start, Each each) {
    LevelCap cap = LevelCap::of(n, small_size);
    auto counters = scratch.take<LevelCounters>(static_cast<std::size_t>(cap.total()) + 1);
    scratch.stream().device().fill_zero(scratch.stream(), counters.data,
                                        counters.size * sizeof(LevelCounters));
    auto at = [&](int level) {
        Level lists = levels[level & 1];
        lists.counters = counters.data + level;
        return lists;
    };
    pass.now = at(0);
    start(pass);
    for (int level = 0; level < cap.total(); ++level) {
        pass.now = at(level);
        pass.next = at(level + 1);
        pass.buffer = static_cast<std::uint32_t>(level & 1);
        pass.halve = level >= cap.n_levels;
        each(pass);
    }
}

TL_DEVICE_END
