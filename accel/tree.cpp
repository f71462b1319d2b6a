#include "accel/tree.h"

#include <algorithm>

#include "accel/bvh/emit_bvh2.h"
#include "accel/bvh/mark_leaves.h"
#include "accel/bvh/optimize_treelets.h"
#include "accel/bvh/presplit.h"

namespace tl {

Settings TreeConfig::settings() {
    return {
        {"layout", layout, {"auto", "bvh2"}, "how the traversed tree lies in memory"},
        {"robust", robust, "watertight: no ray passes between triangles that share an edge"},
        {"max-leaf-size", max_leaf_size, 1, static_cast<int>(NodeRef::kMaxLeafSize), "primitives",
         "most primitives of a leaf"},
        {"node-cost", node_cost, 0.0f, 10.0f, "primitive tests",
         "cost of a node visit that the surface-area heuristic assumes for leaves"},
        {"presplit", presplit, 0.0f, 1.0f, "references per primitive",
         "how many more references large slanting triangles may be cut into before the build"},
        {"treelets", treelets, 0, 3, "rounds",
         "passes that rearrange every seven subtrees of the built tree at the least cost"},
    };
}

void Tree::resize(Stream& stream, std::size_t n_references) {
    nodes_.resize_discard(stream, std::max<std::size_t>(n_references, 2) - 1);
    order_.resize_discard(stream, n_references);
}

void Tree::build(Scratch& scratch, TreeBuilder& builder, BuildInput input) {
    auto& stream = scratch.stream();
    input.leaves.max_size =
        std::min(static_cast<std::uint32_t>(config.max_leaf_size), input.leaf_limit);
    input.leaves.node_cost = config.node_cost;
    header_.resize_discard(stream, 1);
    header_.fill_zero(stream);
    Scratch::Scope scope(scratch);
    if (config.presplit > 0 && !input.boxes.empty() && input.triangles.count > 0)
        input =
            TL_DISPATCH(stream.device(), presplit(scratch, input, config.presplit, header_.view()));
    std::size_t n = builder.max_references(input.boxes.size);
    resize(stream, n);
    BinaryTree raw{scratch.take<BinaryNode>(nodes_.size()),
                   scratch.take<std::uint64_t>(nodes_.size()), scratch.take<std::uint32_t>(n),
                   header_.view()};
    if (!input.boxes.empty()) builder.build(scratch, input, raw);
    if (!input.boxes.empty() && config.treelets > 0) {
        TL_DISPATCH(stream.device(), optimize_treelets(scratch, input, raw, config.treelets));
        TL_DISPATCH(stream.device(), mark_leaves(scratch, input, raw));
    }
    TL_DISPATCH(stream.device(), emit_bvh2(scratch, input, raw, nodes_.view(), order_.view()));
}

TreeView Tree::view(const Primitive* primitives) const {
    TreeView view;
    view.robust = config.robust;
    // The header's error bits are set by traversal too.
    view.bvh2 = {nodes_.data(), const_cast<TreeHeader*>(header_.data())};
    view.primitives = primitives;
    return view;
}

std::size_t Tree::bytes() const {
    return header_.bytes() + nodes_.bytes() + order_.bytes();
}

}  // namespace tl
