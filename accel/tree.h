// A tree that rays can be traced through, and everything between a builder and a ray: passes before
// and after the builder, and the layout that is traversed.
#pragma once

#include <memory>

#include "accel/bvh/layouts/bvh4.h"
#include "accel/bvh/layouts/bvh8.h"
#include "accel/bvh/layouts/cwbvh.h"
#include "accel/bvh/layouts/instance.h"
#include "accel/bvh/passes/refit.h"
#include "accel/patch/patches.h"
#include "accel/primitives.h"
#include "accel/tree_builder.h"
#include "accel/tree_update.h"

namespace tl {

/// How the tree that is traversed lies in memory.
enum class TreeLayout : int {
    automatic,  ///< simd8 on the CPU; on CUDA bvh2, from kLargeTree on bvh4
    bvh2,       ///< 64-byte nodes with two boxes
    bvh4,       ///< 64-byte nodes with four boxes in 8 bits a plane
    cwbvh,      ///< 80-byte nodes with eight boxes in 8 bits a plane
    simd8,      ///< 256-byte nodes with eight boxes, for the CPU's vector units; elsewhere bvh2
};

/// The ids of the layouts, as settings name them, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& layout_ids();

/// References from which a tree's nodes and primitives are several times the L2 cache of a large
/// GPU. Rays are then held back by the bytes of their nodes, of which bvh4 has half.
inline constexpr std::size_t kLargeTree = 4'000'000;

/// Whether a device traces the layout as such; otherwise it takes bvh2 in its place.
[[nodiscard]] bool traces_layout(const Device& device, TreeLayout layout);

/// What can be chosen for every builder.
struct TreeConfig {
    TreeLayout layout = TreeLayout::automatic;
    bool robust = false;    ///< watertight: no ray passes between triangles that share an edge
    int max_leaf_size = 4;  ///< primitives, 1 to NodeRef::kMaxLeafSize
    float node_cost = 1;    ///< SAH cost of a node visit, in primitive tests
    float presplit = 0;     ///< references that cut triangles may add, per primitive, 0 to 1
    int treelets = 0;       ///< rounds of treelet optimisation after the builder, 0 to 3
    UpdatePolicy update = UpdatePolicy::rebuild;
    float sah_drift = 1.2f;  ///< SAH cost, in that of the last build, from which auto rebuilds

    [[nodiscard]] Settings settings();
    bool operator==(const TreeConfig&) const = default;
};

/// What the traversed layout has in use.
struct LayoutSize {
    std::size_t n_nodes = 0;
    std::size_t bytes = 0;  ///< of its nodes and of its primitives in leaf order
};

/// What a kernel needs of a tree, with primitives gathered in the tree's leaf order.
struct TreeView {
    TreeLayout layout = TreeLayout::bvh2;  ///< never automatic
    bool robust = false;
    Bvh2View bvh2;
    Bvh4View bvh4;
    CwbvhView cwbvh;
    Bvh8View bvh8;
    const Primitive* primitives = nullptr;
    const InstanceData* instances = nullptr;  ///< null where no primitive is an instance
    PatchesView patches;                      ///< empty where no primitive is part of a patch
};

class Tree {
  public:
    TreeConfig config;

    /// Builds the traversal tree over input.boxes (input.leaves is taken from the config) on the
    /// scratch's stream, without waiting. A rebuild of the same size allocates nothing.
    void build(Scratch& scratch, TreeBuilder& builder, BuildInput input);

    /// What the config's policy asks for next: always a build where `builder`, the number of boxes
    /// or the config differ from those of the last build. Also asks for the header as it is now.
    /// Never waits.
    [[nodiscard]] UpdateKind next_update(Stream& stream, const TreeBuilder& builder,
                                         std::size_t n_boxes);
    /// The next update is a build; to be called when the builder's settings have changed.
    void invalidate() { built_with_ = {}; }
    /// New boxes for the tree of the last build, which must have had a policy that refits:
    /// boxes[i] is that of primitive i. Never waits, allocates nothing.
    void refit(Scratch& scratch, View<const Box> boxes);
    /// For callers that refit by refit_nodes with boxes of their own, from the primitives in the
    /// order of order(); only where refits_by_place().
    [[nodiscard]] RefitView refit_view();
    /// To be called after a refit by refit_view().
    void finish_refit(Scratch& scratch);
    /// Whether the leaves that a refit starts at are those of the traversed layout, place for
    /// place.
    [[nodiscard]] bool refits_by_place() const { return layout_ != TreeLayout::cwbvh; }
    /// The header of some frames ago, without waiting; what the device knows of dropped boxes and
    /// errors.
    [[nodiscard]] const std::optional<TreeHeader>& latest_header() const {
        return updates_.header();
    }
    /// Asks for the header as it is now and takes what has arrived.
    void read_back_header(Stream& stream);
    [[nodiscard]] const DeviceArray<TreeCost>& cost() const { return cost_; }

    /// Copies gathered primitives to where the layout has its own; after every build or
    /// refit, before rays are traced. `primitives`: those of order().
    void take_primitives(View<const Primitive> primitives);

    /// `primitives`: those of order(), gathered.
    [[nodiscard]] TreeView view(const Primitive* primitives) const;
    /// Primitive at each place of the traversed layout's leaf order; the header's n_places says how
    /// many are in use.
    [[nodiscard]] View<const std::uint32_t> order() const {
        return layout_ == TreeLayout::cwbvh ? cwbvh_.order() : order_.view();
    }
    [[nodiscard]] View<const TreeHeader> header() const { return header_.view(); }
    [[nodiscard]] const DeviceArray<BvhNode>& nodes() const { return nodes_; }
    /// Primitive at each place that the leaves of nodes() name.
    [[nodiscard]] View<const std::uint32_t> node_order() const { return order_.view(); }
    /// What layouts cwbvh and simd8 hold; of other layouts, empty.
    [[nodiscard]] const Cwbvh& cwbvh() const { return cwbvh_; }
    [[nodiscard]] const Bvh8& bvh8() const { return bvh8_; }
    /// Waits for the device.
    [[nodiscard]] LayoutSize measure_layout(Stream& stream) const;
    /// Device memory that the tree holds.
    [[nodiscard]] std::size_t bytes() const;

  private:
    void resize(Stream& stream, std::size_t n_references);

    struct BuiltWith {
        const TreeBuilder* builder = nullptr;
        std::size_t n_boxes = 0;
        TreeConfig config;
        bool operator==(const BuiltWith&) const = default;
    };
    /// The layout to build, never automatic.
    [[nodiscard]] TreeLayout choose_layout(const Device& device, const BuildInput& input) const;
    /// Makes the layout from nodes_ and order_.
    void convert(Scratch& scratch);
    void measure_cost(Scratch& scratch);

    TreeLayout layout_ = TreeLayout::bvh2;  ///< of the last build
    DeviceArray<TreeHeader> header_;        ///< one element
    DeviceArray<BvhNode> nodes_;            ///< of which the header's n_nodes are in use
    DeviceArray<std::uint32_t> order_;
    DeviceArray<ParentRef> parents_;  ///< while the policy refits
    DeviceArray<TreeCost> cost_;      ///< while the policy is automatic
    BuiltWith built_with_;
    UpdatePlan updates_;
    Bvh4 bvh4_;
    Cwbvh cwbvh_;
    Bvh8 bvh8_;
};

}  // namespace tl
