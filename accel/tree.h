// A tree to trace rays through, and all steps between a builder and traversal: passes before and
// after the builder, and conversion to the layout that is traversed.
#pragma once

#include <memory>

#include "accel/bvh/layouts/bvh4.h"
#include "accel/bvh/layouts/bvh8.h"
#include "accel/bvh/layouts/instance.h"
#include "accel/bvh/layouts/skip_tree.h"
#include "accel/bvh/passes/refit.h"
#include "accel/patch/patches.h"
#include "accel/primitives.h"
#include "accel/tree_builder.h"
#include "accel/tree_update.h"
#include "core/base/enum_names.h"

namespace tl {

/// Memory layout of the traversed tree.
enum class TreeLayout : int {
    automatic,  ///< on the CPU simd8; on CUDA bvh2, or bvh4 from kLargeTree on
    bvh2,       ///< 64-byte nodes with two boxes
    skip,       ///< 32-byte depth-first nodes with skip pointers, traversed without a stack
    bvh4,       ///< 64-byte nodes with four boxes of 8-bit planes
    simd8,      ///< 256-byte nodes with eight boxes, for the CPU's vector units; elsewhere bvh2
};
[[nodiscard]] constexpr auto names_of(TreeLayout) {
    return std::to_array<EnumName<TreeLayout>>({{TreeLayout::automatic, "auto"},
                                                {TreeLayout::bvh2, "bvh2"},
                                                {TreeLayout::skip, "skip"},
                                                {TreeLayout::bvh4, "bvh4"},
                                                {TreeLayout::simd8, "simd8"}});
}

/// Number of references from which a tree's nodes and primitives are several times the L2 cache of
/// a large GPU. Traversal is then limited by node bandwidth, of which bvh4 needs half.
inline constexpr std::size_t kLargeTree = 4'000'000;

/// Whether a device can trace the layout; if not, bvh2 is used instead.
[[nodiscard]] bool traces_layout(const Device& device, TreeLayout layout);

/// Settings common to all builders.
struct TreeConfig {
    TreeLayout layout = TreeLayout::automatic;
    bool robust = false;    ///< watertight: no ray passes between triangles that share an edge
    int max_leaf_size = 4;  ///< primitives, 1 to NodeRef::kMaxLeafSize
    float node_cost = 1;    ///< SAH cost of a node visit, in primitive tests
    float presplit = 0;     ///< references that splitting may add, per primitive, 0 to 1
    int treelets = 0;       ///< rounds of treelet optimisation after the builder, 0 to 3
    UpdatePolicy update = UpdatePolicy::by_device;
    float sah_drift = 1.2f;  ///< auto rebuilds above this multiple of the last build's SAH cost

    [[nodiscard]] static const SettingsOf<TreeConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
    bool operator==(const TreeConfig&) const = default;
};

/// Size of the part of the traversed layout that is in use.
struct LayoutSize {
    std::size_t n_nodes = 0;
    std::size_t bytes = 0;  ///< bytes of its nodes and of its primitives in leaf order
};

/// All that a kernel needs of a tree; primitives are stored in the tree's leaf order.
struct TreeView {
    TreeLayout layout = TreeLayout::bvh2;  ///< never automatic
    bool robust = false;
    Bvh2View bvh2;
    SkipTreeView skip;
    Bvh4View bvh4;
    Bvh8View bvh8;
    const Primitive* primitives = nullptr;
    const InstanceData* instances = nullptr;  ///< null where no primitive is an instance
    PatchesView patches;                      ///< empty where no primitive is part of a patch
};

class Tree {
  public:
    TreeConfig config;

    /// Builds the traversal tree over input.boxes (input.leaves is set from the config) on the
    /// scratch's stream, without waiting. A rebuild of the same size allocates nothing.
    void build(Scratch& scratch, TreeBuilder& builder, BuildInput input);

    /// The update that the config's policy requires next: always a build if `builder`, the number
    /// of boxes or the config differ from those of the last build. `moved`: whether boxes may
    /// differ from those of the last update. Also requests a readback of the current header. Never
    /// waits.
    [[nodiscard]] UpdateKind next_update(Stream& stream, const TreeBuilder& builder,
                                         std::size_t n_boxes, bool moved = true);
    /// Forces the next update to be a build; call it when the builder's settings have changed.
    void invalidate() { built_with_ = {}; }
    /// Refits the last tree, built under a policy that refits, to new boxes: boxes[i] is that of
    /// primitive i. Never waits, allocates nothing.
    void refit(Scratch& scratch, View<const Box> boxes);
    /// Data for callers that refit by refit_nodes with their own boxes, computed from the
    /// primitives in the order of order().
    [[nodiscard]] RefitView refit_view();
    /// Call after a refit by refit_view().
    void finish_refit(Scratch& scratch);
    /// The header of some frames ago, read back without waiting. It has the counts of dropped boxes
    /// and the errors, which only the device knows.
    [[nodiscard]] const std::optional<TreeHeader>& latest_header() const {
        return updates_.header();
    }
    /// Requests a readback of the current header, and takes earlier ones that have arrived.
    void read_back_header(Stream& stream);
    [[nodiscard]] const DeviceArray<TreeCost>& cost() const { return cost_; }

    /// Copies primitives to the layout's own storage, if it has one; call after every build or
    /// refit, before rays are traced. `primitives` are in the order of order().
    void take_primitives(View<const Primitive> primitives);

    /// `primitives`: gathered in the order of order().
    [[nodiscard]] TreeView view(const Primitive* primitives) const;
    /// The primitive at each slot that the leaves of nodes(), and of the traversed layout, refer
    /// to; the header's n_places is the number of slots in use.
    [[nodiscard]] View<const std::uint32_t> order() const { return order_.view(); }
    [[nodiscard]] View<const TreeHeader> header() const { return header_.view(); }
    [[nodiscard]] const DeviceArray<BvhNode>& nodes() const { return nodes_; }
    /// The tree of layout simd8; empty for other layouts.
    [[nodiscard]] const Bvh8& bvh8() const { return bvh8_; }
    /// Waits for the device.
    [[nodiscard]] LayoutSize measure_layout(Stream& stream) const;
    /// Device memory that the tree holds.
    [[nodiscard]] std::size_t bytes() const;

  private:
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

    TreeLayout layout_ = TreeLayout::bvh2;  ///< layout of the last build
    DeviceArray<TreeHeader> header_;        ///< one element
    DeviceArray<BvhNode> nodes_;            ///< the header's n_nodes of these are in use
    DeviceArray<std::uint32_t> order_;
    DeviceArray<ParentRef> parents_;  ///< only for policies that refit
    DeviceArray<TreeCost> cost_;      ///< only for the automatic policy
    BuiltWith built_with_;            ///< nothing where the last build failed
    UpdatePlan updates_;
    SkipTree skip_;
    Bvh4 bvh4_;
    Bvh8 bvh8_;
};

}  // namespace tl
