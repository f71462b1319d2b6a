// Large nodes of Lauterbach et al. 2009 ("Fast BVH construction on GPUs") as Zeidan 2011, section
// 4.5.1, tells them: every level evaluates k uniformly sampled planes on each axis of all its nodes
// and sorts references to the children. Departures: the planes cut the bounds of the centres, so
// that k bins of counts and boxes in shared memory give all costs; two launches make a level, the
// last block of a node to finish its bins choosing its split and writing its children; nothing is
// ever waited for, since launches find their work in lists on the device.
#include "accel/bvh/builders/sah_large_nodes.h"

#include "accel/bvh/builders/level_chunks.h"
#include "accel/bvh/builders/sah_bins.h"
#include "accel/bvh/builders/valid_references.h"
#include "accel/parallel/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

using Bins = SahBins<LargeNodeConfig::kMaxSamples>;
using LevelBlock = Block<LevelChunk::kThreads>;
constexpr std::uint32_t kBinWords = sizeof(Bins::words) / sizeof(std::uint32_t);
constexpr std::uint32_t kNone = 0xffffffffu;
constexpr std::uint32_t kHalved = 3;  ///< instead of an axis: split by place

/// A large node, and how it is split once that is known.
struct LargeNode {
    SubtreeTask task;
    std::uint32_t bins;    ///< which of the level's shared bins, if it has more than one chunk
    std::uint32_t n_done;  ///< chunks whose bins are complete
    OrderedBox bounds;
    OrderedBox centers;
    std::uint32_t axis;
    std::uint32_t last_left;  ///< bin
    std::uint32_t n_left;
    std::uint32_t n_placed[2];  ///< references written to either child
    std::uint32_t child[2];     ///< among the next level's nodes, or kNone

    TL_HD static LargeNode start(const SubtreeTask& task, std::uint32_t bins) {
        LargeNode node;
        node.task = task;
        node.bins = bins;
        node.n_done = 0;
        node.bounds.clear();
        node.centers.clear();
        return node;
    }
};

/// The lists of a level.
struct Level {
    View<LargeNode> nodes;
    View<LevelChunk> chunks;
    View<std::uint32_t> bins;
    LevelCounters* counters;
};

struct NewChild {
    std::uint32_t node, n_chunks, first_chunk, bins;
};

struct LargeNodes {
    View<const Box> boxes;
    BinaryTree tree;
    SahOrder order;
    SmallRoots small;
    LargeNodeConfig config;
    Level now, next;
    std::uint32_t buffer;  ///< where this level's references are
    bool halve;

    /// Puts a child where it belongs; a large one still needs its chunks written.
    TL_D NewChild add_child(const SubtreeTask& task, std::uint32_t to_buffer,
                            const Level& level) const {
        if (task.count == 1) {
            link_child(tree, task.parent, NodeRef::leaf(task.first, 1));
            return {kNone, 0, 0, 0};
        }
        if (task.count <= config.small_size) {
            small.roots[atomic_add(&small.n_roots[0], 1)] = {task, to_buffer};
            return {kNone, 0, 0, 0};
        }
        NewChild child;
        child.n_chunks = LevelChunk::count_of(task.count);
        child.node = atomic_add(&level.counters->n_nodes, 1);
        child.first_chunk = atomic_add(&level.counters->n_chunks, child.n_chunks);
        child.bins = child.n_chunks > 1 ? atomic_add(&level.counters->n_bins, 1) : 0;
        level.nodes[child.node] = LargeNode::start(task, child.bins);
        return child;
    }
    /// By all threads of a block: its chunks and, where several blocks share them, its bins.
    template <class B>
    TL_D void write_chunks(const B& block, const NewChild& child, const Level& level) const {
        if (child.node == kNone) return;
        for (std::uint32_t i = block.rank; i < child.n_chunks; i += block.size)
            level.chunks[child.first_chunk + i] = {child.node, i * LevelChunk::kSize};
        if (child.n_chunks == 1) return;
        for (std::uint32_t i = block.rank; i < kBinWords; i += block.size)
            level.bins[child.bins * kBinWords + i] = 0;
    }
};

struct BinsShared {
    Bins bins;
    LargeNode node;
    BinGrid grid;
    std::uint32_t is_last;
    NewChild children[2];
};

/// Chooses the splits of a level's nodes.
struct BinPass : LargeNodes {
    TL_D void split(BinsShared& shared) const {
        LargeNode& node = shared.node;
        SubtreeTask task = node.task;
        BinSplit best;
        if (!halve && shared.bins.best_split(best)) {
            node.axis = best.axis;
            node.last_left = best.last_left;
            node.n_left = best.n_left;
        } else {
            node.axis = kHalved;
            node.n_left = task.count / 2;
        }
        std::uint32_t id = task.first + node.n_left - 1;
        Box box = node.bounds.box();
        tree.nodes[id] = {box.lo, NodeRef::missing(), box.hi, NodeRef::missing()};
        link_child(tree, task.parent, NodeRef::inner(id));
        for (int side = 0; side < 2; ++side) {
            SubtreeTask child{side ? task.first + node.n_left : task.first,
                              side ? task.count - node.n_left : node.n_left,
                              SubtreeTask::child_of(id, side)};
            shared.children[side] = add_child(child, buffer ^ 1, next);
            node.child[side] = shared.children[side].node;
            node.n_placed[side] = 0;
        }
    }
    /// Adds the block's bins to the node's; true in the last block, with all of them in `shared`.
    TL_D bool merge(const LevelBlock& block, BinsShared& shared, LargeNode& node,
                    std::uint32_t n_chunks) const {
        std::uint32_t* merged = now.bins.data + shared.node.bins * kBinWords;
        for (std::uint32_t i = block.rank; i < kBinWords; i += block.size) {
            std::uint32_t word = shared.bins.words[i];
            if (word == 0) continue;
            if (i % Bins::kWords == 6)
                atomic_add(&merged[i], word);
            else
                atomic_max(&merged[i], word);
        }
        fence();
        block.sync();
        if (block.rank == 0) {
            shared.is_last = atomic_add(&node.n_done, 1) + 1 == n_chunks ? 1 : 0;
            fence();
        }
        block.sync();
        if (!shared.is_last) return false;
        for (std::uint32_t i = block.rank; i < kBinWords; i += block.size)
            shared.bins.words[i] = load_fresh(&merged[i]);
        block.sync();
        return true;
    }
    TL_D void operator()(const LevelBlock& block, BinsShared& shared) const {
        std::uint32_t n_level_chunks = now.counters->n_chunks;
        for (std::uint32_t c = block.index; c < n_level_chunks; c += block.n_blocks) {
            block.sync();  // the last round's shared values have been read
            LevelChunk chunk = now.chunks[c];
            LargeNode& node = now.nodes[chunk.node];
            if (block.rank == 0) {
                shared.node = node;
                shared.grid = BinGrid::make(shared.node.centers.box(), config.n_samples);
            }
            shared.bins.clear(block);
            block.sync();
            std::uint32_t count = shared.node.task.count;
            std::uint32_t first = shared.node.task.first + chunk.offset;
            for (std::uint32_t i = block.rank; i < chunk.size_in(count); i += block.size) {
                Box box = boxes[order.buffers[buffer][first + i]];
                shared.bins.add(box, box.center(), shared.grid);
            }
            block.sync();
            std::uint32_t n_chunks = LevelChunk::count_of(count);
            if (n_chunks > 1 && !merge(block, shared, node, n_chunks)) continue;
            shared.bins.evaluate(block, config.n_samples, count);
            block.sync();
            if (block.rank == 0) {
                split(shared);
                node = shared.node;
            }
            block.sync();
            for (auto& child : shared.children) write_chunks(block, child, next);
        }
    }
};

struct SortShared {
    LargeNode node;
    BinGrid grid;
    std::uint32_t n[2];
    std::uint32_t start[2];
    OrderedBox bounds[2];
    OrderedBox centers[2];
    std::uint32_t slots[LevelChunk::kSize];  ///< of each reference: place within its side, side
};

/// Sorts a level's references to the children, whose boxes it finds.
struct SortPass : LargeNodes {
    TL_D void load(SortShared& shared, const LargeNode& node) const {
        shared.node = node;
        shared.grid = BinGrid::make(shared.node.centers.box(), config.n_samples);
        for (int side = 0; side < 2; ++side) {
            shared.n[side] = 0;
            shared.bounds[side].clear();
            shared.centers[side].clear();
        }
    }
    TL_D int side_of(const SortShared& shared, vec3 center, std::uint32_t offset) const {
        const LargeNode& node = shared.node;
        if (node.axis == kHalved) return offset < node.n_left ? 0 : 1;
        auto axis = static_cast<int>(node.axis);
        return shared.grid.bin(center, axis) <= static_cast<int>(node.last_left) ? 0 : 1;
    }
    TL_D void operator()(const LevelBlock& block, SortShared& shared) const {
        std::uint32_t n_level_chunks = now.counters->n_chunks;
        for (std::uint32_t c = block.index; c < n_level_chunks; c += block.n_blocks) {
            block.sync();  // the last round's shared values have been read
            LevelChunk chunk = now.chunks[c];
            LargeNode& node = now.nodes[chunk.node];
            if (block.rank == 0) load(shared, node);
            block.sync();
            SubtreeTask task = shared.node.task;
            std::uint32_t size = chunk.size_in(task.count);
            const std::uint32_t* from = order.buffers[buffer].data + task.first + chunk.offset;
            Box left, left_centers, right, right_centers;
            for (std::uint32_t i = block.rank; i < size; i += block.size) {
                Box box = boxes[from[i]];
                vec3 center = box.center();
                int side = side_of(shared, center, chunk.offset + i);
                if (side) {
                    right.extend(box);
                    right_centers.extend(center);
                    shared.slots[i] = block_append(&shared.n[1]) << 1 | 1;
                } else {
                    left.extend(box);
                    left_centers.extend(center);
                    shared.slots[i] = block_append(&shared.n[0]) << 1;
                }
            }
            shared.bounds[0].extend_by_all(left);
            shared.bounds[1].extend_by_all(right);
            shared.centers[0].extend_by_all(left_centers);
            shared.centers[1].extend_by_all(right_centers);
            block.sync();
            for (std::uint32_t side = block.rank; side < 2; side += block.size)
                shared.start[side] = (side ? task.first + shared.node.n_left : task.first) +
                                     atomic_add(&node.n_placed[side], shared.n[side]);
            for (std::uint32_t i = block.rank; i < 24; i += block.size) {
                std::uint32_t side = i / 12, k = i % 12, child = shared.node.child[side];
                if (child == kNone || shared.n[side] == 0) continue;
                if (k < 6)
                    next.nodes[child].bounds.extend_side(k, shared.bounds[side]);
                else
                    next.nodes[child].centers.extend_side(k - 6, shared.centers[side]);
            }
            block.sync();
            for (std::uint32_t i = block.rank; i < size; i += block.size) {
                std::uint32_t side = shared.slots[i] & 1;
                std::uint32_t n_side = side ? task.count - shared.node.n_left : shared.node.n_left;
                auto& to = n_side == 1 ? order.leaves : order.buffers[buffer ^ 1];
                to[shared.start[side] + (shared.slots[i] >> 1)] = from[i];
            }
        }
    }
};

/// One block to each task.
struct StartPass : LargeNodes {
    SubtreeTasks tasks;
    struct Shared {
        NewChild child;
    };
    TL_D void operator()(const LevelBlock& block, Shared& shared) const {
        for (std::uint32_t t = block.index; t < tasks.n_tasks[0]; t += block.n_blocks) {
            block.sync();  // the last round's shared values have been read
            SubtreeTask task = tasks.tasks[t];
            if (block.rank == 0) {
                shared.child = {kNone, 0, 0, 0};
                if (task.count > 1) shared.child = add_child(task, 0, now);
                if (task.count == 1) order.leaves[task.first] = order.buffers[0][task.first];
            }
            block.sync();
            write_chunks(block, shared.child, now);
        }
    }
};

/// The boxes of the first level's nodes.
struct BoundsPass : LargeNodes {
    struct Shared {
        OrderedBox bounds, centers;
    };
    TL_D void operator()(const LevelBlock& block, Shared& shared) const {
        std::uint32_t n_level_chunks = now.counters->n_chunks;
        for (std::uint32_t c = block.index; c < n_level_chunks; c += block.n_blocks) {
            block.sync();  // the last round's shared values have been read
            if (block.rank == 0) {
                shared.bounds.clear();
                shared.centers.clear();
            }
            block.sync();
            LevelChunk chunk = now.chunks[c];
            LargeNode& node = now.nodes[chunk.node];
            std::uint32_t first = node.task.first + chunk.offset;
            Box bounds, centers;
            for (std::uint32_t i = block.rank; i < chunk.size_in(node.task.count);
                 i += block.size) {
                Box box = boxes[order.buffers[0][first + i]];
                bounds.extend(box);
                centers.extend(box.center());
            }
            shared.bounds.extend_by_all(bounds);
            shared.centers.extend_by_all(centers);
            block.sync();
            for (std::uint32_t i = block.rank; i < 12; i += block.size) {
                if (i < 6)
                    node.bounds.extend_side(static_cast<int>(i), shared.bounds);
                else
                    node.centers.extend_side(static_cast<int>(i) - 6, shared.centers);
            }
        }
    }
};

Level take_level(Scratch& scratch, std::size_t n, std::uint32_t small_size) {
    std::size_t most_nodes = n / (small_size + 1) + 1;
    Level level;
    level.nodes = scratch.take<LargeNode>(most_nodes);
    level.chunks = scratch.take<LevelChunk>(LevelChunk::most(n, most_nodes));
    level.bins = scratch.take<std::uint32_t>((n / LevelChunk::kSize + 1) * kBinWords);
    return level;
}

}  // namespace

SubtreeTasks start_from_whole(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                              const SahOrder& order) {
    auto& stream = scratch.stream();
    append_valid(stream, input.boxes, order.buffers[0], tree.header);
    SubtreeTasks whole{scratch.take<SubtreeTask>(1), scratch.take<std::uint32_t>(1)};
    auto boxes = input.boxes;
    parallel_for(
        stream, "sah whole", 1, TL_LAMBDA(std::uint32_t) {
            TreeHeader& header = tree.header[0];
            std::uint32_t n = header.n_valid;
            header.n_nodes = n < 2 ? n : n - 1;
            whole.tasks[0] = {0, n, SubtreeTask::kNoParent};
            whole.n_tasks[0] = n ? 1 : 0;
            if (n == 1) write_single_leaf(tree, boxes[order.buffers[0][0]]);
        });
    return whole;
}

SmallRoots split_large_nodes(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                             const SahOrder& order, const SubtreeTasks& tasks,
                             const LargeNodeConfig& config) {
    auto& stream = scratch.stream();
    std::size_t n = input.boxes.size;
    SmallRoots small{scratch.take<SmallRoot>(n / 2 + 1), scratch.take<std::uint32_t>(1)};
    stream.device().fill_zero(stream, small.n_roots.data, sizeof(std::uint32_t));
    Scratch::Scope scope(scratch);
    Level levels[2] = {take_level(scratch, n, config.small_size),
                       take_level(scratch, n, config.small_size)};
    LevelCap cap = LevelCap::of(n, config.small_size);
    auto counters = scratch.take<LevelCounters>(static_cast<std::size_t>(cap.total()) + 1);
    stream.device().fill_zero(stream, counters.data, counters.size * sizeof(LevelCounters));

    LargeNodes pass{input.boxes, tree, order, small, config, levels[0], levels[1], 0, false};
    std::uint32_t n_blocks = walking_blocks(levels[0].chunks.size);
    pass.now.counters = &counters[0];
    launch_blocks<LevelChunk::kThreads, StartPass::Shared>(
        stream, "sah tasks", walking_blocks(tasks.tasks.size), StartPass{pass, tasks});
    launch_blocks<LevelChunk::kThreads, BoundsPass::Shared>(stream, "sah bounds", n_blocks,
                                                            BoundsPass{pass});
    for (int level = 0; level < cap.total(); ++level) {
        pass.now = levels[level & 1];
        pass.next = levels[(level & 1) ^ 1];
        pass.now.counters = counters.data + level;
        pass.next.counters = counters.data + level + 1;
        pass.buffer = static_cast<std::uint32_t>(level & 1);
        pass.halve = level >= cap.n_levels;
        launch_blocks<LevelChunk::kThreads, BinsShared>(stream, "sah bins", n_blocks,
                                                        BinPass{pass});
        launch_blocks<LevelChunk::kThreads, SortShared>(stream, "sah sort", n_blocks,
                                                        SortPass{pass});
    }
    return small;
}

TL_DEVICE_END
