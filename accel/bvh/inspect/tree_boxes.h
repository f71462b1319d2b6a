// Boxes of a tree's nodes for an overlay: of one level or of all leaves, with the visibility of
// their edges' segments. Collected on the device, one launch per level, so that even for a large
// tree the cost depends only on the boxes drawn.
#pragma once

#include <vector>

#include "accel/octree/octree.h"
#include "accel/tree.h"

namespace tl {

/// Box of a node, and its number of primitives.
struct TreeBox {
    vec3 lo;
    std::uint32_t n_primitives;  ///< number of primitives of a leaf; 0 for an inner node
    vec3 hi;
    std::uint32_t unused = 0;
};
static_assert(sizeof(TreeBox) == 32);

/// Maximum number of boxes that are collected; of a level with more, those found first.
inline constexpr std::uint32_t kMaxTreeBoxes = 4096;
/// Level number that selects the boxes of all leaves.
inline constexpr int kAllLeaves = -1;
/// Deepest level that is searched for boxes.
inline constexpr int kMaxTreeBoxLevel = 63;

/// Number of segments that each edge of a box is cut into; fewer if there are many boxes.
TL_HD constexpr std::uint32_t edge_segments(std::uint32_t n_boxes) {
    return n_boxes <= 128 ? 32 : n_boxes <= 1024 ? 12 : 4;
}
/// Sets the end points of edge 0 to 11 of a box.
TL_HD inline void box_edge(const TreeBox& box, std::uint32_t edge, vec3& from, vec3& to) {
    std::uint32_t axis = edge / 4, b = (axis + 1) % 3, c = (axis + 2) % 3;
    from[b] = to[b] = edge & 1 ? box.hi[b] : box.lo[b];
    from[c] = to[c] = edge & 2 ? box.hi[c] : box.lo[c];
    from[axis] = box.lo[axis];
    to[axis] = box.hi[axis];
}

/// Boxes of a level with the visibility of their edges.
struct TreeBoxes {
    std::vector<TreeBox> boxes;  ///< at most kMaxTreeBoxes
    /// 12 words per box, one per edge: bit s is set if segment s is occluded.
    std::vector<std::uint32_t> hidden;
    /// Number of boxes found in the level; nodes beyond kMaxTreeBoxes of a level are not descended.
    std::uint32_t n_total = 0;
};

/// Collects the boxes of a level: level 0 is the box of the whole tree, level 1 its two children,
/// and so on; kAllLeaves selects the leaves. A ray from `eye` to its midpoint tests the visibility
/// of a segment. Waits for the stream.
[[nodiscard]] TreeBoxes collect_tree_boxes(Scratch& scratch, const TreeView& tree,
                                           std::size_t n_nodes, int level, vec3 eye);
/// Collects the boxes of the points in an octree's cells of a level, as collect_tree_boxes() does.
/// `tree` holds the occluders.
[[nodiscard]] TreeBoxes collect_octree_boxes(Scratch& scratch, const OctreeView& octree,
                                             const TreeView& tree, int level, vec3 eye);

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Device part of collect_tree_boxes(). `boxes` and `hidden` (12 times as long) have capacity
    /// for kMaxTreeBoxes boxes; `count` is one element.
    void find_tree_boxes(Scratch& scratch, const TreeView& tree, std::size_t n_nodes, int level,
                         vec3 eye, View<TreeBox> boxes, View<std::uint32_t> hidden,
                         View<std::uint32_t> count);
    /// Device part of collect_octree_boxes(); capacities as for find_tree_boxes().
    void find_octree_boxes(Scratch& scratch, const OctreeView& octree, const TreeView& tree,
                           int level, vec3 eye, View<TreeBox> boxes, View<std::uint32_t> hidden,
                           View<std::uint32_t> count);
)
// clang-format on
