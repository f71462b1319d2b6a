#include "accel/bvh/inspect/tree_boxes.h"

#include <utility>

#include "accel/bvh/inspect/hidden_lines.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// List that threads append to. Elements beyond its capacity are only counted.
template <class T>
struct Collected {
    View<T> items;
    View<std::uint32_t> count;
    TL_D void add(const T& item) const {
        std::uint32_t at = atomic_add(&count[0], 1u);
        if (at < items.size) items[at] = item;
    }
    [[nodiscard]] TL_D std::uint32_t size() const {
        auto room = static_cast<std::uint32_t>(items.size);
        return count[0] < room ? count[0] : room;
    }
};

TL_D TreeBox box_of_child(const BvhNode& node, int side) {
    Box box = node.box(side);
    NodeRef ref = node.child(side);
    return {box.lo, ref.is_leaf() ? ref.count() : 0, box.hi};
}

void add_all_leaves(Stream& stream, Bvh2View tree, std::size_t n_nodes, Collected<TreeBox> out) {
    parallel_for(
        stream, "leaf boxes", static_cast<std::uint32_t>(n_nodes), TL_LAMBDA(std::uint32_t i) {
            if (i >= tree.header->n_nodes) return;
            const BvhNode& node = tree.nodes[i];
            for (int side = 0; side < 2; ++side)
                if (node.child(side).is_leaf() && !node.child(side).is_missing())
                    out.add(box_of_child(node, side));
        });
}

void add_root(Stream& stream, Bvh2View tree, Collected<TreeBox> out) {
    parallel_for(
        stream, "root box", 1, TL_LAMBDA(std::uint32_t) {
            const BvhNode& root = tree.nodes[tree.header->root];
            Box box;
            for (int side = 0; side < 2; ++side)
                if (!root.child(side).is_missing()) box.extend(root.box(side));
            if (box.is_valid()) out.add({box.lo, 0, box.hi});
        });
}

/// Appends the inner children of the nodes of `level` to `below`.
void step_down(Stream& stream, Bvh2View tree, Collected<std::uint32_t> level,
               Collected<std::uint32_t> below) {
    parallel_for(
        stream, "next level", static_cast<std::uint32_t>(level.items.size),
        TL_LAMBDA(std::uint32_t i) {
            if (i >= level.size()) return;
            const BvhNode& node = tree.nodes[level.items[i]];
            for (int side = 0; side < 2; ++side)
                if (!node.child(side).is_leaf()) below.add(node.child(side).node());
        });
}

void add_children(Stream& stream, Bvh2View tree, Collected<std::uint32_t> level,
                  Collected<TreeBox> out) {
    parallel_for(
        stream, "level boxes", static_cast<std::uint32_t>(level.items.size),
        TL_LAMBDA(std::uint32_t i) {
            if (i >= level.size()) return;
            const BvhNode& node = tree.nodes[level.items[i]];
            for (int side = 0; side < 2; ++side)
                if (!node.child(side).is_missing()) out.add(box_of_child(node, side));
        });
}

/// Edges of boxes as lines, twelve per box.
struct BoxEdges {
    Collected<TreeBox> boxes;
    TL_D bool ends(std::uint32_t i, vec3& from, vec3& to) const {
        if (i / 12 >= boxes.size()) return false;
        box_edge(boxes.items[i / 12], i % 12, from, to);
        return true;
    }
    [[nodiscard]] TL_D std::uint32_t n_parts() const { return edge_segments(boxes.count[0]); }
};

}  // namespace

void find_tree_boxes(Scratch& scratch, const TreeView& tree, std::size_t n_nodes, int level,
                     vec3 eye, View<TreeBox> boxes, View<std::uint32_t> hidden,
                     View<std::uint32_t> count) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    fill(stream, count, 0u);
    Collected<TreeBox> out{boxes, count};
    if (level == kAllLeaves) {
        add_all_leaves(stream, tree.bvh2, n_nodes, out);
    } else if (level == 0) {
        add_root(stream, tree.bvh2, out);
    } else {
        Collected<std::uint32_t> here{scratch.take<std::uint32_t>(kMaxTreeBoxes),
                                      scratch.take<std::uint32_t>(1)};
        Collected<std::uint32_t> below{scratch.take<std::uint32_t>(kMaxTreeBoxes),
                                       scratch.take<std::uint32_t>(1)};
        fill(stream, here.count, 1u);
        stream.device().copy(stream, here.items.data, &tree.bvh2.header->root,
                             sizeof(std::uint32_t));
        for (int depth = 1; depth < level && depth < kMaxTreeBoxLevel; ++depth) {
            fill(stream, below.count, 0u);
            step_down(stream, tree.bvh2, here, below);
            std::swap(here, below);
        }
        add_children(stream, tree.bvh2, here, out);
    }
    visit_any_tracer(tree, HiddenLines<BoxEdges>{stream, eye, {out}, hidden});
}

void find_octree_boxes(Scratch& scratch, const OctreeView& octree, const TreeView& tree, int level,
                       vec3 eye, View<TreeBox> boxes, View<std::uint32_t> hidden,
                       View<std::uint32_t> count) {
    auto& stream = scratch.stream();
    OctreeView all = octree;
    Collected<TreeBox> out{boxes, count};
    fill(stream, count, 0u);
    parallel_for(
        stream, "octree boxes", static_cast<std::uint32_t>(octree.nodes.size),
        TL_LAMBDA(std::uint32_t i) {
            const OctreeHeader& header = all.header[0];
            if (i >= header.n_nodes) return;
            OctreeNode node = all.nodes[i];
            bool shown = level == kAllLeaves
                             ? node.is_leaf()
                             : level <= OctreeHeader::kLevels && i >= header.level_begin[level] &&
                                   i < header.level_begin[level + 1];
            const Box& box = all.attributes[i].box;
            if (shown) out.add({box.lo, node.is_leaf() ? node.count() : 0, box.hi});
        });
    visit_any_tracer(tree, HiddenLines<BoxEdges>{stream, eye, {out}, hidden});
}

TL_DEVICE_END
