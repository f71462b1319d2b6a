// A tree that rays can be traced through, and everything between a builder and a ray: passes before
// and after the builder, and the layout that is traversed.
#pragma once

#include <memory>

#include "accel/bvh/instance.h"
#include "accel/primitives.h"
#include "accel/tree_builder.h"

namespace tl {

/// How the tree that is traversed lies in memory.
enum class TreeLayout : int {
    automatic,  ///< what is fastest on the device: bvh2 on CUDA
    bvh2,       ///< 64-byte nodes with two boxes
};

/// What can be chosen for every builder.
struct TreeConfig {
    int layout = static_cast<int>(TreeLayout::automatic);
    bool robust = false;    ///< watertight: no ray passes between triangles that share an edge
    int max_leaf_size = 4;  ///< primitives, 1 to NodeRef::kMaxLeafSize
    float node_cost = 1;    ///< SAH cost of a node visit, in primitive tests
    float presplit = 0;     ///< references that cut triangles may add, per primitive, 0 to 1
    int treelets = 0;       ///< rounds of treelet optimisation after the builder, 0 to 3

    [[nodiscard]] Settings settings();
};

/// What a kernel needs of a tree, with primitives gathered in the tree's leaf order.
struct TreeView {
    TreeLayout layout = TreeLayout::bvh2;  ///< never automatic
    bool robust = false;
    Bvh2View bvh2;
    const Primitive* primitives = nullptr;
    const InstanceData* instances = nullptr;  ///< null where no primitive is an instance
};

class Tree {
  public:
    TreeConfig config;

    /// Builds the traversal tree over input.boxes (input.leaves is taken from the config) on the
    /// scratch's stream, without waiting. A rebuild of the same size allocates nothing.
    void build(Scratch& scratch, TreeBuilder& builder, BuildInput input);

    /// `primitives`: those of order(), gathered.
    [[nodiscard]] TreeView view(const Primitive* primitives) const;
    /// Primitive at each place of the traversed layout's leaf order; the header's n_places says how
    /// many are in use.
    [[nodiscard]] View<const std::uint32_t> order() const { return order_.view(); }
    [[nodiscard]] View<const TreeHeader> header() const { return header_.view(); }
    [[nodiscard]] const DeviceArray<BvhNode>& nodes() const { return nodes_; }
    /// Device memory that the tree holds.
    [[nodiscard]] std::size_t bytes() const;

  private:
    void resize(Stream& stream, std::size_t n_references);

    DeviceArray<TreeHeader> header_;  ///< one element
    DeviceArray<BvhNode> nodes_;      ///< of which the header's n_nodes are in use
    DeviceArray<std::uint32_t> order_;
};

}  // namespace tl
