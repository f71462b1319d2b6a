// Upper levels of a point tree, which are a complete binary tree: data shared by the stages of its
// builder.
#pragma once

#include "accel/points/point_tree.h"

namespace tl {

/// Numbering of the large nodes. The nodes of a level are ranges of the order whose sizes differ by
/// at most one, so that a range is computed from its number.
struct PointLevels {
    /// Maximum number of points of a small node, limited by the bits of its masks.
    static constexpr std::uint32_t kSmall = 32;

    const std::uint32_t* count;  ///< number of points, on the device
    std::uint32_t capacity;      ///< maximum number of points
    int n_levels;                ///< levels of large nodes; nodes of the next level are small

    /// Returns the number of levels after which all nodes have at most kSmall points.
    [[nodiscard]] static int levels_for(std::uint64_t n) {
        int levels = 0;
        while ((n + (std::uint64_t(1) << levels) - 1) >> levels > kSmall) ++levels;
        return levels;
    }
    [[nodiscard]] TL_HD std::uint32_t n_points() const {
        return *count < capacity ? *count : capacity;
    }
    /// Returns the first position of node j of a level; that of j + 1 is its end.
    [[nodiscard]] TL_HD static std::uint32_t first_of(std::uint32_t n, int level, std::uint32_t j) {
        return static_cast<std::uint32_t>(std::uint64_t(j) * n >> level);
    }
    /// Returns the node of a level that contains position i.
    [[nodiscard]] TL_HD static std::uint32_t node_of(std::uint32_t n, int level, std::uint32_t i) {
        double end = static_cast<double>(((std::uint64_t(i) + 1) << level) - 1);
        auto j = static_cast<std::uint32_t>(end / n);
        // The quotient may be rounded up to the next node's number.
        return first_of(n, level, j) > i ? j - 1 : j;
    }
    /// Returns the number of node j of a level; large nodes are numbered level by level.
    [[nodiscard]] TL_HD static std::uint32_t number_of(int level, std::uint32_t j) {
        return (1u << level) - 1 + j;
    }
    [[nodiscard]] std::uint32_t n_large() const { return (1u << n_levels) - 1; }
    [[nodiscard]] std::uint32_t n_small() const { return 1u << n_levels; }
};

/// Split plane of a large node.
struct PointSplit {
    std::uint32_t axis;
    float plane;
};

/// Subtree of a small node, before all nodes are put in pre-order. Indices of right children are
/// relative to its root.
struct PointSubtree {
    static constexpr std::uint32_t kMostNodes = 2 * PointLevels::kSmall - 1;
    PointNode nodes[kMostNodes + 1];
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Splits the large nodes. Returns the points in the order of the small nodes, in scratch
    /// memory of the caller's scope.
    View<const std::uint32_t> split_large_points(Scratch& scratch, View<const vec3> positions,
                                                 const PointLevels& levels,
                                                 View<PointSplit> splits);
    /// Builds the subtrees of the small nodes, and writes the points in the order of their leaves.
    void split_small_points(Stream& stream, View<const vec3> positions, const PointLevels& levels,
                            View<const std::uint32_t> order,
                            View<PointSubtree> subtrees, View<std::uint32_t> node_counts,
                            View<TreePoint> points);
)
// clang-format on
