#include "accel/points/point_tree.h"

#include "accel/points/point_levels.h"
#include "core/base/bits.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Writes the nodes in pre-order.
struct OrderPass {
    PointLevels levels;
    View<const PointSplit> splits;
    View<const PointSubtree> subtrees;
    View<const std::uint32_t> node_counts;
    View<const std::uint32_t> n_before;  ///< scan of node_counts
    View<PointNode> nodes;

    /// Returns the index of node j of a level in pre-order. It is preceded by its ancestors, by the
    /// large nodes of the complete trees to its left, one tree for each bit of j, and by the
    /// subtrees there.
    [[nodiscard]] TL_D std::uint32_t index_of(int level, std::uint32_t j) const {
        std::uint32_t subtree = j << (levels.n_levels - level);
        return static_cast<std::uint32_t>(level) + subtree -
               static_cast<std::uint32_t>(bit_count(j)) + n_before[subtree];
    }
    TL_D void write_large(std::uint32_t number) const {
        int level = highest_bit(number + 1);
        std::uint32_t j = number + 1 - (1u << level);
        // The capacity may be far above the number of points. A node of few points becomes a leaf,
        // since nodes below it would be empty.
        constexpr std::uint32_t kFew = 8;
        std::uint32_t n = levels.n_points();
        std::uint32_t first = PointLevels::first_of(n, level, j);
        std::uint32_t n_below = PointLevels::first_of(n, level, j + 1) - first;
        if (n_below <= kFew) {
            nodes[index_of(level, j)] = PointNode::leaf(first, n_below);
            return;
        }
        PointSplit split = splits[number];
        nodes[index_of(level, j)] = PointNode::inner(static_cast<int>(split.axis), split.plane,
                                                     index_of(level + 1, 2 * j + 1));
    }
    TL_D void write_small(std::uint32_t k) const {
        constexpr std::uint32_t kNodes = sizeof(PointSubtree) / sizeof(PointNode);
        std::uint32_t j = k / kNodes, i = k % kNodes;
        if (i >= node_counts[j]) return;
        PointNode node = subtrees[j].nodes[i];
        std::uint32_t first = index_of(levels.n_levels, j);
        if (!node.is_leaf()) node.word += first;
        nodes[first + i] = node;
    }
};

}  // namespace

void PointTree::build(Scratch& scratch, View<const vec3> positions, const std::uint32_t* count) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    std::size_t n = positions.size;
    const PointLevels levels{count, static_cast<std::uint32_t>(n), PointLevels::levels_for(n)};
    points_.resize_discard(stream, n);
    nodes_.resize_discard(stream, 2 * n + 2 * levels.n_small());
    auto splits = scratch.take<PointSplit>(levels.n_large());
    auto order = split_large_points(scratch, positions, levels, splits);
    auto subtrees = scratch.take<PointSubtree>(levels.n_small());
    auto node_counts = scratch.take<std::uint32_t>(levels.n_small());
    auto n_before = scratch.take<std::uint32_t>(levels.n_small());
    split_small_points(stream, positions, levels, order, subtrees, node_counts, points_.view());
    exclusive_scan<std::uint32_t>(scratch, node_counts, n_before);
    const OrderPass pass{levels, splits, subtrees, node_counts, n_before, nodes_.view()};
    parallel_for(
        stream, "large point nodes", levels.n_large(),
        TL_LAMBDA(std::uint32_t k) { pass.write_large(k); });
    constexpr std::uint32_t kNodes = sizeof(PointSubtree) / sizeof(PointNode);
    parallel_for(
        stream, "small point nodes", kNodes * levels.n_small(),
        TL_LAMBDA(std::uint32_t k) { pass.write_small(k); });
}

TL_DEVICE_END
