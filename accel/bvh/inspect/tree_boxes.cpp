#include "accel/bvh/inspect/tree_boxes.h"

#include <algorithm>

namespace tl {
namespace {

/// Downloads the boxes that find(boxes, hidden, count) collects on the device.
template <class Find>
TreeBoxes collect(Scratch& scratch, const Find& find) {
    auto& stream = scratch.stream();
    auto& device = stream.device();
    Scratch::Scope scope(scratch);
    auto boxes = scratch.take<TreeBox>(kMaxTreeBoxes);
    auto hidden = scratch.take<std::uint32_t>(12 * kMaxTreeBoxes);
    auto count = scratch.take<std::uint32_t>(1);
    find(boxes, hidden, count);
    TreeBoxes found;
    device.download(stream, &found.n_total, count.data, sizeof(std::uint32_t));
    std::size_t n = std::min(found.n_total, kMaxTreeBoxes);
    found.boxes.resize(n);
    found.hidden.resize(12 * n);
    device.download(stream, found.boxes.data(), boxes.data, n * sizeof(TreeBox));
    device.download(stream, found.hidden.data(), hidden.data, 12 * n * sizeof(std::uint32_t));
    return found;
}

}  // namespace

TreeBoxes collect_tree_boxes(Scratch& scratch, const TreeView& tree, std::size_t n_nodes, int level,
                             vec3 eye) {
    if (n_nodes == 0) return {};
    return collect(scratch, [&](auto boxes, auto hidden, auto count) {
        TL_DISPATCH(scratch.stream().device(),
                    find_tree_boxes(scratch, tree, n_nodes, level, eye, boxes, hidden, count));
    });
}

TreeBoxes collect_octree_boxes(Scratch& scratch, const OctreeView& octree, const TreeView& tree,
                               int level, vec3 eye) {
    return collect(scratch, [&](auto boxes, auto hidden, auto count) {
        TL_DISPATCH(scratch.stream().device(),
                    find_octree_boxes(scratch, octree, tree, level, eye, boxes, hidden, count));
    });
}

}  // namespace tl
