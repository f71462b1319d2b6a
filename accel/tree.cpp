#include "accel/tree.h"

#include <algorithm>

#include "accel/bvh/passes/emit_bvh2.h"
#include "accel/bvh/passes/emit_skip_tree.h"
#include "accel/bvh/passes/mark_leaves.h"
#include "accel/bvh/passes/optimize_treelets.h"
#include "accel/bvh/passes/presplit.h"

namespace tl {

const SettingsOf<TreeConfig>& TreeConfig::declared_settings() {
    static const SettingsOf<TreeConfig> all{
        SettingEntry<TreeConfig>(
            "layout", &TreeConfig::layout,
            "memory layout of the traversed tree; skip is traversed without a stack")
            .retired("cwbvh", "auto"),
        {"robust", &TreeConfig::robust,
         "watertight: no ray passes between triangles that share an edge"},
        {"max-leaf-size", &TreeConfig::max_leaf_size, 1, static_cast<int>(NodeRef::kMaxLeafSize),
         "primitives", "largest number of primitives in a leaf"},
        {"node-cost", &TreeConfig::node_cost, 0.0f, 10.0f, "primitive tests",
         "SAH cost of a node visit, which decides what becomes a leaf", kAdvanced},
        {"presplit", &TreeConfig::presplit, 0.0f, 1.0f, "references per primitive",
         "extra references that splitting large slanting triangles may make before the build",
         kAdvanced},
        {"treelets", &TreeConfig::treelets, 0, 3, "rounds",
         "passes after the build that optimally rearrange treelets of seven subtrees", kAdvanced},
        {"update", &TreeConfig::update,
         "update of the tree in each frame: static stops all motion; refit keeps the tree and "
         "updates its boxes; rebuild; auto refits until the SAH cost has drifted; on-change "
         "rebuilds after motion; default: on-change on the CPU, rebuild on a GPU"},
        {"sah-drift", &TreeConfig::sah_drift, 1.0f, 100.0f, "of the cost after the last build",
         "SAH cost above which auto rebuilds the tree", kAdvanced},
    };
    return all;
}

namespace {

/// Limits of the leaves that suit a layout: simd8 tests a block of four triangles as fast as one,
/// so it makes every subtree of up to four a leaf.
LeafPolicy leaves_of(const TreeConfig& config, TreeLayout layout) {
    LeafPolicy leaves{static_cast<std::uint32_t>(config.max_leaf_size), config.node_cost};
    if (layout == TreeLayout::simd8) {
        leaves.max_size = std::min(leaves.max_size, PrimitiveBlock::kSize);
        leaves.node_cost = std::max(leaves.node_cost, float(PrimitiveBlock::kSize));
    }
    return leaves;
}

}  // namespace

bool traces_layout(const Device& device, TreeLayout layout) {
    return layout != TreeLayout::simd8 || (device.kind() == DeviceKind::cpu && can_trace_bvh8());
}

UpdateKind Tree::next_update(Stream& stream, const TreeBuilder& builder, std::size_t n_boxes,
                             bool moved) {
    read_back_header(stream);
    if (!(built_with_ == BuiltWith{&builder, n_boxes, config})) return UpdateKind::rebuild;
    return updates_.next(policy_on(stream.device(), config.update), config.sah_drift, moved);
}

void Tree::read_back_header(Stream& stream) {
    if (header_.empty()) return;
    bool costs = config.update == UpdatePolicy::automatic && !cost_.empty();
    updates_.read_back(stream, header_.data(), costs ? cost_.data() : nullptr);
}

RefitView Tree::refit_view() {
    return {nodes_.view(), parents_.view(), header_.view()};
}

void Tree::refit(Scratch& scratch, View<const Box> boxes) {
    auto& stream = scratch.stream();
    TL_DISPATCH(stream.device(), refit(stream, refit_view(), boxes, order_.view()));
    finish_refit(scratch);
}

void Tree::finish_refit(Scratch& scratch) {
    convert(scratch);
    measure_cost(scratch);
}

void Tree::measure_cost(Scratch& scratch) {
    if (config.update == UpdatePolicy::automatic)
        TL_DISPATCH(scratch.stream().device(),
                    measure_sah_cost(scratch, refit_view(), cost_.view()));
}

void Tree::build(Scratch& scratch, TreeBuilder& builder, BuildInput input) {
    const BuildInput given = input;
    TL_ASSERT_OP(config.max_leaf_size, >=, 1);
    TL_ASSERT_OP(config.max_leaf_size, <=, static_cast<int>(NodeRef::kMaxLeafSize));
    updates_.start_build();
    built_with_ = {};
    BuiltWith building{&builder, input.boxes.size, config};
    auto& stream = scratch.stream();
    layout_ = choose_layout(stream.device(), input);
    input.leaves = leaves_of(config, layout_);
    input.leaves.max_size = std::min(input.leaves.max_size, input.leaf_limit);
    header_.resize_discard(stream, 1);
    header_.fill_zero(stream);
    std::optional<Scratch::Scope> scope(std::in_place, scratch);
    if (config.presplit > 0 && !input.boxes.empty() && input.triangles.count > 0)
        input =
            TL_DISPATCH(stream.device(), presplit(scratch, input, config.presplit, header_.view()));
    std::size_t n_boxes = input.boxes.size, n = builder.max_references(n_boxes);
    nodes_.resize_discard(stream, std::max<std::size_t>(n, 2) - 1);
    order_.resize_discard(stream, n);
    BinaryTree raw{scratch.take<BinaryNode>(nodes_.size()),
                   scratch.take<std::uint64_t>(nodes_.size()), scratch.take<std::uint32_t>(n),
                   header_.view()};
    if (!input.boxes.empty())
        builder.build(scratch, input, raw);
    else
        stream.device().fill_zero(stream, raw.output_sizes.data,
                                  raw.output_sizes.size * sizeof(std::uint64_t));
    if (builder.max_references(n_boxes) > n) {  // the capacity was too small and has grown
        scope.reset();
        return build(scratch, builder, given);
    }
    if (!raw.boxes.empty()) {
        input.boxes = raw.boxes;
        input.primitive_of = raw.primitive_of;
    }
    if (!input.boxes.empty() && config.treelets > 0) {
        TL_DISPATCH(stream.device(), optimize_treelets(scratch, input, raw, config.treelets));
        TL_DISPATCH(stream.device(), mark_leaves(scratch, input, raw));
    }
    TL_DISPATCH(stream.device(), emit_bvh2(scratch, input, raw, nodes_.view(), order_.view()));
    convert(scratch);
    if (config.update == UpdatePolicy::refit || config.update == UpdatePolicy::automatic) {
        parents_.resize_discard(stream, nodes_.size());
        TL_DISPATCH(stream.device(), find_parents(stream, refit_view()));
        cost_.resize_discard(stream, 1);
        cost_.fill_zero(stream);
        measure_cost(scratch);
    }
    built_with_ = building;
}

TreeLayout Tree::choose_layout(const Device& device, const BuildInput& input) const {
    auto wanted = config.layout;
    if (wanted == TreeLayout::automatic && device.kind() == DeviceKind::cpu)
        wanted = TreeLayout::simd8;
    if (wanted == TreeLayout::automatic && input.boxes.size >= kLargeTree)
        wanted = TreeLayout::bvh4;
    bool possible = !input.has_instances && traces_layout(device, wanted);
    return possible && wanted != TreeLayout::automatic ? wanted : TreeLayout::bvh2;
}

void Tree::convert(Scratch& scratch) {
    if (layout_ == TreeLayout::skip)
        TL_DISPATCH(scratch.stream().device(),
                    emit_skip_tree(scratch, nodes_.view(), header_.view(), skip_));
    else
        skip_ = {};
    if (layout_ == TreeLayout::bvh4)
        TL_DISPATCH(scratch.stream().device(),
                    convert_to_bvh4(scratch, nodes_.view(), header_.view(), bvh4_));
    else
        bvh4_ = {};
    if (layout_ == TreeLayout::simd8)
        bvh8_.convert(scratch.stream(), nodes_.view(), header_.data()[0]);
    else
        bvh8_ = {};
}

void Tree::take_primitives(View<const Primitive> primitives) {
    if (layout_ == TreeLayout::simd8) bvh8_.pack(primitives);
}

TreeView Tree::view(const Primitive* primitives) const {
    TreeView view;
    view.robust = config.robust;
    // Not const, since traversal also sets the header's error bits.
    view.bvh2 = {nodes_.data(), const_cast<TreeHeader*>(header_.data())};
    view.skip = skip_.view();
    view.bvh4 = bvh4_.view(view.bvh2.header);
    view.bvh8 = bvh8_.view(view.bvh2.header);
    // Until its primitives are packed a wide tree cannot be traced, but the bvh2 it came from can.
    if (layout_ != TreeLayout::simd8 || bvh8_.ready()) view.layout = layout_;
    view.primitives = primitives;
    return view;
}

LayoutSize Tree::measure_layout(Stream& stream) const {
    auto read = [&]<class T>(View<const T> view) {
        T value{};
        if (!view.empty()) stream.device().download(stream, &value, view.data, sizeof value);
        return value;
    };
    auto header = read(header_.view());
    LayoutSize size{header.n_nodes, header.n_nodes * sizeof(BvhNode)};
    std::size_t primitives = header.n_places * sizeof(Primitive);
    if (layout_ == TreeLayout::skip) {
        size.n_nodes = read(skip_.n_nodes.view());
        size.bytes = size.n_nodes * sizeof(SkipNode);
    } else if (layout_ == TreeLayout::bvh4) {
        size.n_nodes = read(bvh4_.n_nodes.view());
        size.bytes = size.n_nodes * sizeof(Bvh4Node);
    } else if (layout_ == TreeLayout::simd8) {
        size.n_nodes = bvh8_.n_nodes();
        size.bytes = size.n_nodes * sizeof(Bvh8Node);
        primitives = bvh8_.n_blocks() * sizeof(PrimitiveBlock);
    }
    size.bytes += primitives;
    return size;
}

std::size_t Tree::bytes() const {
    return header_.bytes() + nodes_.bytes() + order_.bytes() + parents_.bytes() + skip_.bytes() +
           bvh4_.bytes() + bvh8_.bytes();
}

}  // namespace tl
