// A kd-tree over points, for photons: exact nearest neighbours, and all points within a radius.
//
// It is built as Zeidan 2011, section 6.2.2 describes: the points are sorted along each axis once,
// large nodes are halved at the median of their longest side, level by level, with the three orders
// kept, and below small nodes the voxel volume heuristic (Wald, Günther & Slusallek 2004,
// "Balancing considered harmful") chooses among planes through the points, whose sides are bit
// masks. Nodes lie in pre-order. Departures: empty space needs no nodes, since a node's bounds are
// the ends of its three orders; medians make the upper levels a complete tree, so that where a node
// starts is computed and not stored; a warp builds the whole subtree of a small node; volumes are
// those of boxes grown by about the radius of a search, since points of a surface have none; leaves
// refer to points that lie together.
#pragma once

#include "accel/box.h"
#include "accel/parallel/array.h"

namespace tl {

/// Of an inner node, whose left child follows, `word` is the axis above the index of the right
/// child, and `bits` are the plane's; of a leaf, kLeaf above its number of points, and its first.
struct PointNode {
    static constexpr std::uint32_t kLeaf = 3u << 30, kMask = ~kLeaf;

    std::uint32_t word;
    std::uint32_t bits;

    [[nodiscard]] TL_HD static PointNode leaf(std::uint32_t first, std::uint32_t count) {
        return {kLeaf | count, first};
    }
    /// Points to the left are not above the plane, those to the right not below it.
    [[nodiscard]] TL_HD static PointNode inner(int axis, float plane, std::uint32_t right) {
        return {static_cast<std::uint32_t>(axis) << 30 | right, bits_of_float(plane)};
    }
    [[nodiscard]] TL_HD bool is_leaf() const { return word >= kLeaf; }
    [[nodiscard]] TL_HD std::uint32_t count() const { return word & kMask; }
    [[nodiscard]] TL_HD std::uint32_t first() const { return bits; }
    [[nodiscard]] TL_HD int axis() const { return static_cast<int>(word >> 30); }
    [[nodiscard]] TL_HD std::uint32_t right() const { return word & kMask; }
    [[nodiscard]] TL_HD float plane() const { return float_of_bits(bits); }
};
static_assert(sizeof(PointNode) == 8);

/// A point in a leaf.
struct alignas(16) TreePoint {
    vec3 position;
    std::uint32_t index;  ///< among the points that the tree was built from
};

/// All that a kernel needs. Node 0 is the root; without points it is an empty leaf.
struct PointTreeView {
    View<const PointNode> nodes;
    View<const TreePoint> points;
};

/// Most levels of nodes: a stack of as many entries holds what a search has put off.
inline constexpr int kMostPointLevels = 64;

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// A tree's memory, which is used again.
    class PointTree {
      public:
        /// Builds over the first count[0] positions, at most `positions.size`, which are finite;
        /// `count` is on the device. Never waits. At most 2^29 points.
        void build(Scratch& scratch, View<const vec3> positions, const std::uint32_t* count);
        [[nodiscard]] PointTreeView view() const { return {nodes_.view(), points_.view()}; }

      private:
        DeviceArray<PointNode> nodes_;
        DeviceArray<TreePoint> points_;
    };
)
// clang-format on
