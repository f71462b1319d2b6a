// SAH splits of large nodes, after Lauterbach et al. 2009 ("Fast BVH construction on GPUs") as
// described by Zeidan 2011, section 4.5.1. Every level evaluates k uniformly sampled planes on each
// axis of all its nodes, then distributes references to the children. Departs from them in three
// points. Planes divide the bounds of the centres, so that k bins of counts and boxes in shared
// memory give all costs. A level takes two launches; the last block to finish a node's bins chooses
// its split and writes its children. The host never waits, since launches find their work in lists
// on the device.
#include "accel/bvh/builders/sah_large_nodes.h"

#include "accel/bvh/builders/level_chunks.h"
#include "accel/bvh/builders/sah_bins.h"
#include "accel/bvh/builders/valid_references.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

using Bins = SahBins<LargeNodeConfig::kMaxSamples>;
constexpr std::uint32_t kBinWords = sizeof(Bins::words) / sizeof(std::uint32_t);
constexpr std::uint32_t kHalved = 3;  ///< instead of an axis: the node is halved by position

/// Large node, and its split once that is known.
struct LargeNode {
    SubtreeTask task;
    std::uint32_t bins;    ///< index of its shared bins, for nodes of several chunks
    std::uint32_t n_done;  ///< chunks whose bins have been merged
    OrderedBox bounds;
    OrderedBox centers;
    std::uint32_t axis;
    std::uint32_t last_left;  ///< last bin of the left child
    std::uint32_t n_left;
    std::uint32_t n_placed[2];  ///< references written to each child so far
    std::uint32_t child[2];     ///< NewNode::index

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

struct Level : LevelNodes<LargeNode> {
    View<std::uint32_t> bins;

    static Level take(Scratch& scratch, std::size_t n, std::uint32_t small_size) {
        return {LevelNodes::take(scratch, n, small_size),
                scratch.take<std::uint32_t>((n / LevelChunk::kSize + 1) * kBinWords)};
    }
};

struct NewChild : NewNode {
    std::uint32_t bins = 0;
};

struct LargeNodes : LevelPass<Level> {
    View<const Box> boxes;
    BinaryTree tree;
    SahOrder order;
    SmallRoots small;
    LargeNodeConfig config;

    /// Appends a child to the list of leaves, small roots or large nodes. A large child still needs
    /// its chunks and bins written.
    TL_D NewChild add_child(const SubtreeTask& task, std::uint32_t to_buffer,
                            const Level& level) const {
        NewChild child;
        if (task.count == 1) {
            link_child(tree, task.parent, NodeRef::leaf(task.first, 1));
        } else if (task.count <= config.small_size) {
            small.roots[atomic_add(&small.n_roots[0], 1)] = {task, to_buffer};
        } else {
            if (task.count > LevelChunk::kSize) child.bins = atomic_add(&level.counters->n_bins, 1);
            static_cast<NewNode&>(child) =
                level.add(LargeNode::start(task, child.bins), task.count);
        }
        return child;
    }
    /// Writes the node's chunks and clears its bins if several chunks share them. Called by all
    /// threads of a block.
    TL_D void write_chunks(const LevelBlock& block, const NewChild& child,
                           const Level& level) const {
        level.write_chunks(block, child);
        if (child.n_chunks < 2) return;
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

/// First launch of a level: fills bins and chooses the splits of the nodes.
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
            node.child[side] = shared.children[side].index;
            node.n_placed[side] = 0;
        }
    }
    /// Merges the block's bins into the node's. Returns true in the last block to do so, with the
    /// merged bins in `shared`.
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
        if (block.rank == 0) shared.is_last = is_last_chunk(&node.n_done, n_chunks) ? 1 : 0;
        block.sync();
        if (!shared.is_last) return false;
        for (std::uint32_t i = block.rank; i < kBinWords; i += block.size)
            shared.bins.words[i] = load_fresh(&merged[i]);
        block.sync();
        return true;
    }
    TL_D void operator()(const LevelBlock& block, BinsShared& shared) const {
        now.walk(block, [&](LevelChunk chunk, LargeNode& node) {
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
            if (n_chunks > 1 && !merge(block, shared, node, n_chunks)) return;
            shared.bins.evaluate(block, config.n_samples, count);
            block.sync();
            if (block.rank == 0) {
                split(shared);
                node = shared.node;
            }
            block.sync();
            for (auto& child : shared.children) write_chunks(block, child, next);
        });
    }
};

struct SortShared {
    LargeNode node;
    BinGrid grid;
    std::uint32_t n[2];
    std::uint32_t start[2];
    OrderedBox bounds[2];
    OrderedBox centers[2];
    std::uint32_t slots[LevelChunk::kSize];  ///< per reference: rank within its side << 1 | side
};

/// Second launch of a level: distributes references to the children and computes the boxes of large
/// children.
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
        now.walk(block, [&](LevelChunk chunk, LargeNode& node) {
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
                if (child == NewNode::kNone || shared.n[side] == 0) continue;
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
        });
    }
};

/// Appends the first level's nodes, one block per task.
struct StartPass : LargeNodes {
    SubtreeTasks tasks;
    struct Shared {
        NewChild child;
    };
    TL_D void operator()(const LevelBlock& block, Shared& shared) const {
        for (std::uint32_t t = block.index; t < tasks.n_tasks[0]; t += block.n_blocks) {
            block.sync();  // all threads have read the previous round's values
            SubtreeTask task = tasks.tasks[t];
            if (block.rank == 0) {
                shared.child = {};
                if (task.count > 1) shared.child = add_child(task, 0, now);
                if (task.count == 1) order.leaves[task.first] = order.buffers[0][task.first];
            }
            block.sync();
            write_chunks(block, shared.child, now);
        }
    }
};

/// Computes the boxes of the first level's nodes.
struct BoundsPass : LargeNodes {
    struct Shared {
        OrderedBox bounds, centers;
    };
    TL_D void operator()(const LevelBlock& block, Shared& shared) const {
        now.walk(block, [&](LevelChunk chunk, LargeNode& node) {
            if (block.rank == 0) {
                shared.bounds.clear();
                shared.centers.clear();
            }
            block.sync();
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
        });
    }
};

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
    Level levels[2] = {Level::take(scratch, n, config.small_size),
                       Level::take(scratch, n, config.small_size)};
    std::size_t most_chunks = levels[0].chunks.size;
    launch_levels(
        scratch, LargeNodes{{}, input.boxes, tree, order, small, config}, levels, n,
        config.small_size,
        [&](const LargeNodes& pass) {
            launch_walk<StartPass::Shared>(stream, "sah tasks", tasks.tasks.size,
                                           StartPass{pass, tasks});
            launch_walk<BoundsPass::Shared>(stream, "sah bounds", most_chunks, BoundsPass{pass});
        },
        [&](const LargeNodes& pass) {
            launch_walk<BinsShared>(stream, "sah bins", most_chunks, BinPass{pass});
            launch_walk<SortShared>(stream, "sah sort", most_chunks, SortPass{pass});
        });
    return small;
}

TL_DEVICE_END
