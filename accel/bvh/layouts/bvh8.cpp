// Converts a tree of BvhNodes to 8-wide nodes, top down. Nodes near the root are written one by one
// in breadth-first order. Each subtree below them is a task that works depth first, so that nodes
// visited in sequence are close in memory. Tasks reserve node and block numbers from shared
// counters in batches.
#include "accel/bvh/layouts/bvh8.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <vector>

namespace tl {
namespace {

/// Number of wide nodes that become tasks: many more than threads, since subtrees differ in size.
constexpr std::size_t kTasks = 256;
/// Numbers that a thread reserves at a time.
constexpr std::uint32_t kHandful = 64;

/// Batch of numbers reserved from a shared counter; [next, end) are still unused.
struct Drawn {
    std::uint32_t next = 0, end = 0;
    std::uint32_t draw(std::atomic<std::uint32_t>& count) {
        if (next == end) {
            next = count.fetch_add(kHandful, std::memory_order_relaxed);
            end = next + kHandful;
        }
        return next++;
    }
};

/// Node and block numbers that one thread has reserved.
struct Hand {
    Drawn nodes, blocks;
};

/// Wide node to write: its number, and the two-box node that it replaces.
struct Job {
    std::uint32_t to, from;
};

struct Converter {
    const WidePlan& plan;
    Bvh8Node* nodes;
    PrimitiveBlock* blocks;
    std::atomic<std::uint32_t> n_nodes{0}, n_blocks{0};

    /// Writes one wide node and appends its inner children to `jobs`.
    void write_node(Job job, Hand& hand, std::vector<Job>& jobs) {
        PlannedChildren wide = plan.children(job.from);
        Bvh8Node& node = nodes[job.to];
        for (int i = 0; i < kWide; ++i) {
            bool used = i < wide.count;
            for (int axis = 0; axis < 3; ++axis) {
                node.planes[axis][0][i] = used ? wide.boxes[i].lo[axis] : kInfinity;
                node.planes[axis][1][i] = used ? wide.boxes[i].hi[axis] : -kInfinity;
            }
            if (!used) {
                node.children[i] = WideRef::kMissing;
            } else if (wide.refs[i].is_leaf()) {
                std::uint32_t block = hand.blocks.draw(n_blocks);
                blocks[block].first = wide.refs[i].first();
                blocks[block].count = wide.refs[i].count();
                node.children[i] = WideRef::kLeafBit | block;
            } else {
                std::uint32_t child = hand.nodes.draw(n_nodes);
                node.children[i] = child;
                jobs.push_back({child, wide.refs[i].node()});
            }
        }
    }
    /// Converts the tree below `root`. `hands` has one element for each thread that can take part,
    /// and one more for the nodes near the root.
    void run(std::uint32_t root, std::vector<Hand>& hands) {
        std::vector<Job> jobs{{hands.back().nodes.draw(n_nodes), root}};
        std::size_t n_done = 0;
        while (n_done < jobs.size() && jobs.size() - n_done < kTasks)
            write_node(jobs[n_done++], hands.back(), jobs);
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(n_done, jobs.size(), 1), [&](const auto& range) {
                Hand& hand =
                    hands[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())];
                std::vector<Job> stack;
                for (std::size_t i = range.begin(); i < range.end(); ++i) {
                    stack.push_back(jobs[i]);
                    while (!stack.empty()) {
                        Job job = stack.back();
                        stack.pop_back();
                        write_node(job, hand, stack);
                    }
                }
            });
        for (Hand& hand : hands)
            while (hand.blocks.next < hand.blocks.end) blocks[hand.blocks.next++].count = 0;
    }
};

void pack_block(PrimitiveBlock& block, View<const Primitive> primitives) {
    block.others = 0;
    for (std::uint32_t lane = 0; lane < PrimitiveBlock::kSize; ++lane) {
        bool used = lane < block.count;
        Primitive p = used ? primitives[block.first + lane] : Primitive{};
        bool triangle = used && p.kind == Primitive::kTriangle;
        if (used && !triangle) block.others |= 1u << lane;
        for (int axis = 0; axis < 3; ++axis) {
            block.vertex[axis][lane] = triangle ? p.vertex[axis] : 0.0f;
            block.edge1[axis][lane] = triangle ? p.edge1[axis] : 0.0f;
            block.edge2[axis][lane] = triangle ? p.edge2[axis] : 0.0f;
        }
        block.slack[lane] = triangle ? p.slack : 0.0f;
        block.id[lane] = p.id;
    }
}

}  // namespace

bool can_trace_bvh8() {
    static const bool can = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return can;
}

void Bvh8::convert(Stream& stream, View<const BvhNode> nodes, const TreeHeader& header) {
    packed_ = false;
    std::vector<Hand> hands(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 1);
    // Capacity for numbers that threads reserve but do not use. A quarter more absorbs changes
    // between frames. There are usually four times fewer wide nodes than two-box nodes, but not
    // always.
    std::size_t spare = hands.size() * kHandful;
    std::size_t n_nodes = std::max<std::size_t>(header.n_nodes, 1) + spare;
    std::size_t n_blocks = header.n_nodes + 1 + spare;
    if (nodes_.capacity() < n_nodes) nodes_.resize_discard(stream, n_nodes * 5 / 4);
    if (blocks_.capacity() < n_blocks) blocks_.resize_discard(stream, n_blocks * 5 / 4);
    plan_.make({nodes.data, std::max<std::size_t>(header.n_nodes, 1)}, header.root);
    Converter converter{plan_, nodes_.data(), blocks_.data()};
    converter.run(header.root, hands);
    n_nodes_ = converter.n_nodes;
    n_blocks_ = converter.n_blocks;
}

void Bvh8::pack(View<const Primitive> primitives) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n_blocks_, 512), [&](const auto& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
            if (blocks_.data()[i].count) pack_block(blocks_.data()[i], primitives);
    });
    packed_ = true;
}

}  // namespace tl
