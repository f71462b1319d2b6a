// Octree builder by direct indexing of a full octree of given height, after Goradia 2008, chapters
// 4 and 5 ("Non-Adaptive Octree using Direct Indexing").
//
// A cell's number on its level is its path, three bits per level. In post-order, every node follows
// its eight subtrees; the path then gives the numbers of a node, its children and its parent,
// without links. Counts of points are summed level by level, from the leaves up. The table has
// 8^height leaves, however few of them contain points. The last step extracts the adaptive tree
// that all builders make: the non-empty nodes whose parents have too many points.
#include "accel/octree/node_attributes.h"
#include "accel/octree/octree_keys.h"
#include "accel/octree/set_levels.h"
#include "accel/octree/sorted_points.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Maximum height of a full tree; a table then takes 77 MB.
constexpr int kMostHeight = 8;

/// Numbering of the nodes of a full octree.
struct FullTree {
    int height;

    /// Number of nodes of a subtree whose root is `levels` above its leaves.
    [[nodiscard]] TL_HD static std::uint32_t size(int levels) {
        return ((8u << 3 * levels) - 1) / 7;
    }
    [[nodiscard]] TL_HD std::uint32_t size() const { return size(height); }
    /// Returns the post-order number of the node whose path from the root is `code`, three bits per
    /// level.
    [[nodiscard]] TL_HD std::uint32_t post_order(int level, std::uint32_t code) const {
        std::uint32_t number = size(height - level) - 1;
        for (int above = level; above > 0; --above, code >>= 3)
            number += (code & 7) * size(height - above);
        return number;
    }
    /// Returns the post-order number of child 0 to 7 of a node of `level`.
    [[nodiscard]] TL_HD std::uint32_t child(std::uint32_t number, int level,
                                            std::uint32_t part) const {
        return number - 1 - (7 - part) * size(height - level - 1);
    }
    /// Returns the number of a node in level order.
    [[nodiscard]] TL_HD static std::uint32_t level_order(int level, std::uint32_t code) {
        return ((1u << 3 * level) - 1) / 7 + code;
    }
    /// Returns the level of a node from its number in level order.
    [[nodiscard]] TL_HD static int level_of(std::uint32_t number) {
        int level = 0;
        while (number >= level_order(level + 1, 0)) ++level;
        return level;
    }
};

struct DirectPass {
    OctreeView tree;
    FullTree full;
    std::uint32_t leaf_size;
    View<std::uint32_t> counts;    ///< number of points of each node, in post-order
    View<std::uint32_t> leaves;    ///< number of points of each leaf, along the curve
    View<std::uint32_t> starts;    ///< each leaf's first point: prefix sums of `leaves`
    View<std::uint32_t> is_there;  ///< 1 if the adaptive tree has the node, in level order
    View<std::uint32_t> numbers;   ///< numbers in the adaptive tree: prefix sums of `is_there`

    [[nodiscard]] TL_D std::uint32_t leaf_of(std::uint32_t i) const {
        int shift = 3 * (OctreeGrid::kLevels - full.height);
        return static_cast<std::uint32_t>(tree.keys[i] >> shift);
    }
    /// Adds to the count of point i's leaf if it is the leaf's first or last point. The count is
    /// the number of points up to its last, less those before its first.
    TL_D void count_in_leaf(std::uint32_t i) const {
        std::uint32_t n = tree.header[0].n_points;
        if (i >= n) return;
        std::uint32_t leaf = leaf_of(i);
        if (i == 0 || leaf_of(i - 1) != leaf) atomic_add(&leaves[leaf], 0 - i);
        if (i + 1 == n || leaf_of(i + 1) != leaf) atomic_add(&leaves[leaf], i + 1);
    }
    TL_D void sum_children(int level, std::uint32_t code) const {
        std::uint32_t number = full.post_order(level, code), sum = 0;
        if (level == full.height) sum = leaves[code];
        for (std::uint32_t part = 0; level < full.height && part < 8; ++part)
            sum += counts[full.child(number, level, part)];
        counts[number] = sum;
    }
    [[nodiscard]] TL_D std::uint32_t count_of(int level, std::uint32_t code) const {
        return counts[full.post_order(level, code)];
    }
    TL_D void find(std::uint32_t k) const {
        if (k == full.size()) {
            is_there[k] = 0;
            return;
        }
        int level = FullTree::level_of(k);
        std::uint32_t code = k - FullTree::level_order(level, 0);
        is_there[k] =
            count_of(level, code) > 0 && (level == 0 || count_of(level - 1, code >> 3) > leaf_size);
    }
    TL_D void write(std::uint32_t k) const {
        if (!is_there[k] || numbers[k] >= tree.header[0].n_nodes) return;
        int level = FullTree::level_of(k);
        std::uint32_t code = k - FullTree::level_order(level, 0);
        std::uint32_t first = starts[code << 3 * (full.height - level)];
        OctreeNode node{first, 0, first + count_of(level, code), 0};
        if (node.count() > leaf_size && level < int(tree.header[0].last_level)) {
            std::uint32_t children = FullTree::level_order(level + 1, code << 3);
            node.first_child = numbers[children];
            node.end_child = numbers[children + 8];
        }
        tree.nodes[numbers[k]] = node;
        tree.parents[numbers[k]] =
            level == 0 ? 0 : numbers[FullTree::level_order(level - 1, code >> 3)];
    }
};

void write_full_tree(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    const FullTree full{config.max_level < kMostHeight ? config.max_level : kMostHeight};
    std::uint32_t n_leaves = 1u << 3 * full.height;
    auto take = [&](std::size_t n) { return scratch.take<std::uint32_t>(n); };
    const DirectPass pass{tree,
                          full,
                          static_cast<std::uint32_t>(config.leaf_size),
                          take(full.size()),
                          take(n_leaves),
                          take(n_leaves),
                          take(full.size() + 1),
                          take(full.size() + 1)};
    stream.device().fill_zero(stream, pass.leaves.data, n_leaves * sizeof(std::uint32_t));
    parallel_for(
        stream, "points of leaves", static_cast<std::uint32_t>(tree.points.size),
        TL_LAMBDA(std::uint32_t i) { pass.count_in_leaf(i); });
    for (int level = full.height; level >= 0; --level)
        parallel_for(
            stream, "points of a level", 1u << 3 * level,
            TL_LAMBDA(std::uint32_t code) { pass.sum_children(level, code); });
    exclusive_scan<std::uint32_t>(scratch, pass.leaves, pass.starts);
    parallel_for(
        stream, "nodes of the full tree", full.size() + 1,
        TL_LAMBDA(std::uint32_t k) { pass.find(k); });
    exclusive_scan<std::uint32_t>(scratch, pass.is_there, pass.numbers);
    parallel_for(
        stream, "octree header", 1, TL_LAMBDA(std::uint32_t) {
            set_levels(pass.tree, pass.full.height, [&](int level) {
                int below = (level < pass.full.height ? level : pass.full.height) + 1;
                return pass.numbers[FullTree::level_order(below, 0)];
            });
        });
    parallel_for(
        stream, "octree nodes", full.size(), TL_LAMBDA(std::uint32_t k) { pass.write(k); });
}

class DirectOctreeBuilder final : public OctreeBuilder {
  public:
    void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer) override {
        sort_points(scratch, points, config, tree, timer);
        {
            StageTimer::Scope stage(timer, "nodes");
            write_full_tree(scratch, config, tree.view());
        }
        StageTimer::Scope stage(timer, "attributes");
        sum_attributes(scratch, tree.view());
    }
    [[nodiscard]] int max_level() const override { return kMostHeight; }
};

}  // namespace

std::unique_ptr<OctreeBuilder> make_direct_octree_builder() {
    return std::make_unique<DirectOctreeBuilder>();
}

TL_DEVICE_END
