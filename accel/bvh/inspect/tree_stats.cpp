// Measures a tree in parallel: one thread traverses the top of the tree until there are enough
// subtrees, which oneTBB then traverses in parallel.
#include "accel/bvh/inspect/tree_stats.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <deque>

namespace tl {
namespace {

constexpr std::size_t kSubtrees = 512;

struct Visit {
    std::uint32_t node;
    int depth;
};

/// Flags of the nodes or leaf slots that any thread has reached.
class Reached {
  public:
    Reached(std::size_t n, const char* what) : seen_(n), what_(what) {}
    void mark(std::uint32_t i) {
        if (i < seen_.size() && !seen_[i].exchange(true, std::memory_order_relaxed)) return;
        throw UserError("the tree is damaged: " + std::string(what_) + " " + std::to_string(i) +
                        (i < seen_.size() ? " is reached twice" : " does not exist"));
    }

  private:
    std::vector<std::atomic<bool>> seen_;
    const char* what_;
};

// Partial sums over some of the nodes; in these `sah` is the sum of costs times areas.

void add_leaf(TreeStats& sums, std::uint32_t size, std::size_t at_depth, double area) {
    ++sums.n_leaves;
    sums.n_primitives += size;
    sums.sah += size * area;
    ++sums.leaves_of_size[size];
    if (sums.leaves_at_depth.size() <= at_depth) sums.leaves_at_depth.resize(at_depth + 1);
    ++sums.leaves_at_depth[at_depth];
}

void add(TreeStats& sums, const TreeStats& o) {
    sums.n_nodes += o.n_nodes;
    sums.n_leaves += o.n_leaves;
    sums.n_primitives += o.n_primitives;
    sums.depth = std::max(sums.depth, o.depth);
    sums.sah += o.sah;
    for (std::size_t i = 0; i < sums.leaves_of_size.size(); ++i)
        sums.leaves_of_size[i] += o.leaves_of_size[i];
    if (sums.leaves_at_depth.size() < o.leaves_at_depth.size())
        sums.leaves_at_depth.resize(o.leaves_at_depth.size());
    for (std::size_t i = 0; i < o.leaves_at_depth.size(); ++i)
        sums.leaves_at_depth[i] += o.leaves_at_depth[i];
}

class Walk {
  public:
    explicit Walk(const HostTree& tree)
        : tree_(tree),
          nodes_(tree.nodes.size(), "node"),
          places_(tree.order.size(), "leaf place") {}

    TreeStats run() {
        TreeStats sums;
        std::deque<Visit> front;
        reach(tree_.header.root, 1, front);
        while (!front.empty() && front.size() < kSubtrees) {
            Visit visit = front.front();
            front.pop_front();
            step(visit, sums, front);
        }
        using Range = tbb::blocked_range<std::size_t>;
        TreeStats below = tbb::parallel_reduce(
            Range(0, front.size(), 1), TreeStats{},
            [&](const Range& range, TreeStats part) {
                for (std::size_t i = range.begin(); i < range.end(); ++i) {
                    std::vector<Visit> stack{front[i]};
                    while (!stack.empty()) {
                        Visit visit = stack.back();
                        stack.pop_back();
                        step(visit, part, stack);
                    }
                }
                return part;
            },
            [](TreeStats a, const TreeStats& b) {
                add(a, b);
                return a;
            });
        add(sums, below);
        return sums;
    }

  private:
    template <class List>
    void reach(std::uint32_t node, int depth, List& list) {
        nodes_.mark(node);
        list.push_back({node, depth});
    }
    template <class List>
    void step(Visit visit, TreeStats& sums, List& next) {
        const BvhNode& node = tree_.nodes[visit.node];
        ++sums.n_nodes;
        sums.depth = std::max(sums.depth, visit.depth);
        for (int side = 0; side < 2; ++side) {
            NodeRef ref = node.child(side);
            if (ref.is_missing()) continue;
            double area = node.box(side).half_area();
            if (ref.is_leaf()) {
                add_leaf(sums, ref.count(), static_cast<std::size_t>(visit.depth), area);
                for (std::uint32_t k = 0; k < ref.count(); ++k) places_.mark(ref.first() + k);
            } else {
                sums.sah += area;
                reach(ref.node(), visit.depth + 1, next);
            }
        }
    }

    const HostTree& tree_;
    Reached nodes_, places_;
};

}  // namespace

TreeStats measure_tree(const HostTree& tree) {
    TreeStats stats;
    const TreeHeader& header = tree.header;
    if (header.n_valid > 0) {
        stats = Walk(tree).run();
        // Every ray that hits the root's box visits the root.
        double area = tree.root_box().half_area();
        stats.sah = area > 0 ? (area + stats.sah) / area : 0;
    }
    stats.n_dropped = header.n_dropped - header.n_padding;
    stats.errors = header.errors;
    stats.bytes = header.n_nodes * sizeof(BvhNode) + header.n_places * sizeof(std::uint32_t);
    return stats;
}

TreeStats measure_tree(Stream& stream, const Tree& tree) {
    return measure_tree(download_tree(stream, tree));
}

std::string warning_of(const TreeHeader& header) {
    std::string text;
    auto say = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (std::uint32_t n = header.n_dropped - header.n_padding)
        say(std::to_string(n) + (n == 1 ? " primitive was" : " primitives were") +
            " left out of the tree: NaN, infinite or inverted coordinates");
    if (header.errors & kBuildCapReached)
        say("the tree builder reached its iteration limit: the tree is complete but slow");
    if (header.errors & kOutOfReferences)
        say("the tree builder had no room for all the splits that it chose: the tree is complete "
            "but slower to trace");
    if (header.errors & kTraversalStackFull)
        say("the tree is too deep for some rays, which miss part of it: choose another builder");
    return text;
}

}  // namespace tl
