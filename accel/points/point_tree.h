// Kd-tree over points, for photons: exact nearest neighbours, and all points within a radius.
//
// Built as in Zeidan 2011, section 6.2.2. The points are sorted along each axis once. Large nodes
// are halved at the median of their longest side, level by level, with the three orders kept.
// Below, the voxel volume heuristic (Wald, Günther & Slusallek 2004, "Balancing considered
// harmful") selects planes through the points of small nodes; the points on each side are bit
// masks. Nodes are stored in pre-order.
//
// Departs from it in five points. Empty space needs no nodes, since a node's bounds are the ends of
// its three orders. Medians make the upper levels a complete tree, so that the start of a node is
// computed and not stored. A warp builds the whole subtree of a small node. Boxes are grown by
// about the radius of a search before their volume is taken, since points of a surface have none.
// The points of a leaf are contiguous.
#pragma once

#include "accel/box.h"
#include "core/device/array.h"

namespace tl {

/// Node of 8 bytes. The left child of an inner node follows it directly.
struct PointNode {
    static constexpr std::uint32_t kLeaf = 3u << 30, kMask = ~kLeaf;

    /// Upper 2 bits: the axis of an inner node, or 3 for a leaf. Lower 30 bits: the index of the
    /// right child, or the leaf's number of points.
    std::uint32_t word;
    /// Bits of the plane's coordinate, or the leaf's first point.
    std::uint32_t bits;

    [[nodiscard]] TL_HD static PointNode leaf(std::uint32_t first, std::uint32_t count) {
        return {kLeaf | count, first};
    }
    /// Makes an inner node. Points on the left are not above the plane, those on the right not
    /// below it.
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

/// Point in a leaf.
struct alignas(16) TreePoint {
    vec3 position;
    std::uint32_t index;  ///< index of the input point
};

/// Views of a tree, passed to kernels by value. Node 0 is the root; without points it is an empty
/// leaf.
struct PointTreeView {
    View<const PointNode> nodes;
    View<const TreePoint> points;
};

/// Maximum number of levels, and thus of nodes that a search defers on its stack.
inline constexpr int kMostPointLevels = 64;

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Owns the memory of a tree, which rebuilds reuse.
    class PointTree {
      public:
        /// Builds the tree over the first count[0] positions, at most `positions.size` and 2^29.
        /// These must be finite. `count` is on the device. Never waits.
        void build(Scratch& scratch, View<const vec3> positions, const std::uint32_t* count);
        [[nodiscard]] PointTreeView view() const { return {nodes_.view(), points_.view()}; }

      private:
        DeviceArray<PointNode> nodes_;
        DeviceArray<TreePoint> points_;
    };
)
// clang-format on
