// Binned SAH on CUDA: the whole device splits large nodes breadth first; one warp builds each small
// subtree.
#include "accel/bvh/builders/binned_cuda.h"

namespace tl::cuda {

void build_binned_subtrees(Scratch& scratch, View<const Box> boxes, const SubtreeTasks& tasks,
                           std::size_t usual_size, int n_bins, const BinaryTree& tree) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::size_t n = tree.order.size;
    Orders orders{{tree.order.data, scratch.take<std::uint32_t>(n).data}};
    auto counters = scratch.take<std::uint32_t>(2);
    stream.device().fill_zero(stream, counters.data, counters.size * sizeof(std::uint32_t));
    StagedTasks small{scratch.take<StagedTask>(n), &counters.data[0]};
    // Sufficient for splits that halve nodes, plus ten levels for uneven splits.
    int n_levels = usual_size > kSmallBinnedNode ? 10 : 0;
    for (std::size_t size = usual_size; size > kSmallBinnedNode; size /= 2) ++n_levels;
    split_large_tasks(scratch, boxes, tasks, n_bins, n_levels, tree, orders, small);
    finish_small_tasks(stream, boxes, n_bins, tree, orders, small, {&counters.data[1], 1});
}

}  // namespace tl::cuda
