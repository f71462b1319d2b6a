// Binned SAH from the root (Wald 2007; Zeidan 2011, section 4.6) in two stages. Large nodes are
// split level by level, with one of several algorithms that assign references to bins. Small nodes
// are built as whole subtrees.
#include "accel/bvh/builders/binned.h"
#include "accel/bvh/builders/builder_configs.h"

#include "accel/bvh/builders/binned_projections.h"
#include "accel/bvh/passes/box_union.h"
#include "accel/bvh/passes/mark_leaves.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Writes the indices of the valid boxes to tree.order and counts them in the header. Returns one
/// task, the whole tree.
SubtreeTasks start_at_root(Scratch& scratch, const BuildInput& input, BinaryTree& tree) {
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(input.boxes.size);
    SubtreeTasks root{scratch.take<SubtreeTask>(1), scratch.take<std::uint32_t>(1)};
    Scratch::Scope scope(scratch);
    unite_centers(stream, input.boxes, tree.header);
    auto valid = scratch.take<std::uint32_t>(n);
    auto before = scratch.take<std::uint32_t>(n);
    auto boxes = input.boxes;
    parallel_for(
        stream, "valid boxes", n,
        TL_LAMBDA(std::uint32_t i) { valid[i] = boxes[i].is_valid() ? 1 : 0; });
    exclusive_scan<std::uint32_t>(scratch, valid, before);
    auto order = tree.order;
    auto header = tree.header;
    parallel_for(
        stream, "root task", n, TL_LAMBDA(std::uint32_t i) {
            if (valid[i]) order[before[i]] = i;
            if (i > 0) return;
            std::uint32_t n_valid = header[0].n_valid;
            header[0].n_nodes = n_valid < 2 ? n_valid : n_valid - 1;
            root.tasks[0] = {0, n_valid, SubtreeTask::kNoParent};
            root.n_tasks[0] = n_valid > 0 ? 1 : 0;
        });
    return root;
}

class BinnedBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        SubtreeTasks tasks = start_at_root(scratch, input, tree);
        auto projection = config_.projection;
        std::size_t usual_size = input.boxes.size;
        if (projection != BinProjection::shared_bins) {
            tasks =
                split_by_projection(scratch, input.boxes, tasks, projection, config_.bins, tree);
            usual_size = kSmallBinnedNode;
        }
        build_binned_subtrees(scratch, input.boxes, tasks, usual_size, config_.bins, tree);
        mark_leaves(scratch, input, tree);
    }
    Settings settings() override { return config_.settings(); }

  private:
    BinnedConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_binned_builder() {
    return std::make_unique<BinnedBuilder>();
}

TL_DEVICE_END
