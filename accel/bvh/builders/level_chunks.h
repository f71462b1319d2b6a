// What builders that split many nodes at once, level by level, share: a level's references are cut
// into chunks, each within one node, and blocks walk over the chunks.
#pragma once

#include "accel/bvh/builders/ordered_box.h"
#include "accel/parallel/array.h"

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

TL_DEVICE_BEGIN

using LevelBlock = Block<LevelChunk::kThreads>;

/// A large node that has been handed out, whose chunks are still to be written.
struct NewNode {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    std::uint32_t index = kNone;  ///< among its level's nodes
    std::uint32_t n_chunks = 0, first_chunk = 0;
};

/// The nodes of a level and their chunks.
template <class Node>
struct LevelNodes {
    View<Node> nodes;
    View<LevelChunk> chunks;
    LevelCounters* counters = nullptr;

    /// For nodes of more than `small_size` of at most `n_references` in all.
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
    /// By all threads of the block; nothing for a node that was not handed out.
    TL_D void write_chunks(const LevelBlock& block, const NewNode& added) const {
        for (std::uint32_t i = block.rank; i < added.n_chunks; i += block.size)
            chunks[added.first_chunk + i] = {added.index, i * LevelChunk::kSize};
    }
    /// visit(chunk, node) for the chunks that are this block's, by all its threads. They have
    /// arrived when it is called, so that shared memory may be written anew.
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

/// By one thread, when its block has merged what it found in a chunk: whether all `n_chunks` of the
/// node have been merged, which load_fresh then sees.
TL_D inline bool is_last_chunk(std::uint32_t* n_done, std::uint32_t n_chunks) {
    fence();
    bool is_last = atomic_add(n_done, 1) + 1 == n_chunks;
    fence();
    return is_last;
}

/// What the kernels of a level work on.
template <class Level>
struct LevelPass {
    Level now, next;
    std::uint32_t buffer = 0;  ///< where this level's references are
    bool halve = false;        ///< splits by place, so that the levels come to an end
};

/// Launches blocks that walk over up to `n_items`: no more than eight to each of 132 SMs, which the
/// CPU takes as tasks.
template <class Shared, class Pass>
void launch_walk(Stream& stream, const char* name, std::size_t n_items, const Pass& pass) {
    launch_blocks<LevelChunk::kThreads, Shared>(
        stream, name, static_cast<std::uint32_t>(n_items < 1056 ? n_items : 1056), pass);
}

/// Launches the kernels of all levels of nodes of up to `n` references: start(pass) before the
/// first, whose nodes it makes, and each(pass) for every level, from one of two sets of lists to
/// the other. `Pass` is a LevelPass.
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
