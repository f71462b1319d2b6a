// SAH BVH builders in two stages, after Lauterbach et al. 2009 ("Fast BVH construction on GPUs").
// Near the root, the surface-area heuristic selects splits among sampled planes (see
// sah_large_nodes.cu). Further down, it selects among all splits between primitives in sorted order
// (see sah_small_nodes.cu). Their hybrid (Zeidan 2011, section 4.7.1) takes its upper levels from a
// linear BVH.
#include "accel/bvh/builders/builder_configs.h"
#include "accel/bvh/builders/lbvh_top.h"
#include "accel/bvh/builders/sah_small_nodes.h"
#include "accel/bvh/passes/mark_leaves.h"

TL_DEVICE_BEGIN

namespace {

/// Builds the subtrees of the tasks, whose references are in order.buffers[0], and the leaves.
void finish(Scratch& scratch, const BuildInput& input, BinaryTree& tree, const SahOrder& order,
            const SubtreeTasks& tasks, const SahConfig& config) {
    auto small_size = static_cast<std::uint32_t>(config.small_size);
    SmallRoots small =
        split_large_nodes(scratch, input, tree, order, tasks, {config.n_samples, small_size});
    sweep_small_nodes(scratch.stream(), input, tree, order, small, small_size);
    tree.order = order.leaves;
    mark_leaves(scratch, input, tree);
}

class SahBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        std::size_t n = input.boxes.size;
        SahOrder order{{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)},
                       tree.order};
        SubtreeTasks whole = start_from_whole(scratch, input, tree, order);
        finish(scratch, input, tree, order, whole, config_);
    }
    Settings settings() override { return config_.settings(); }

  private:
    SahConfig config_;
};

class HybridSahBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        LbvhTop top = build_lbvh_top(scratch, input, tree, CodeBits::bits63, config_.prefix_bits);
        std::size_t n = input.boxes.size;
        SahOrder order{{tree.order, scratch.take<std::uint32_t>(n)},
                       scratch.take<std::uint32_t>(n)};
        finish(scratch, input, tree, order, top.clusters, config_);
    }
    Settings settings() override { return config_.settings(); }

  private:
    HybridSahConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_sah_builder() {
    return std::make_unique<SahBuilder>();
}
std::unique_ptr<TreeBuilder> make_hybrid_sah_builder() {
    return std::make_unique<HybridSahBuilder>();
}

TL_DEVICE_END
