// HLBVH, hierarchical linear BVH (Pantaleoni & Luebke 2010; Garanzha et al. 2011, "Simpler and
// faster HLBVH with work queues"). Primitives are clustered by a prefix of their Morton codes. Each
// cluster gets a linear BVH, and a binned SAH tree is built over the clusters. The number of
// clusters stays on the device. Departs from both papers: the linear BVH is built over all
// primitives at once, and its nodes above the clusters are then replaced.
#include <algorithm>

#include "accel/bvh/builders/binned.h"
#include "accel/bvh/builders/builder_configs.h"
#include "accel/bvh/builders/lbvh_top.h"
#include "accel/bvh/passes/mark_leaves.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Replaces the top of the linear BVH by the tree over the clusters.
struct TopReplacer {
    BinaryTree tree;
    BinaryTree over_clusters;
    LbvhTop top;

    /// Returns the number of node i over clusters in the whole tree: that of the gap after cluster
    /// i, which no cluster's subtree uses.
    TL_HD std::uint32_t node_of(std::uint32_t i) const {
        return top.clusters.tasks[i].first + top.clusters.tasks[i].count - 1;
    }
    TL_HD NodeRef moved(NodeRef ref) const {
        if (ref.is_leaf()) return top.roots[over_clusters.order[ref.first()]];
        return NodeRef::inner(node_of(ref.node()));
    }
    TL_HD void replace(std::uint32_t i) const {
        if (i + 1 >= top.clusters.n_tasks[0]) return;
        BinaryNode node = over_clusters.nodes[i];
        tree.nodes[node_of(i)] = {node.lo, moved(node.left), node.hi, moved(node.right)};
        if (i == 0) tree.header[0].root = node_of(over_clusters.header[0].root);
    }
};

class HlbvhBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        auto& stream = scratch.stream();
        LbvhTop top = build_lbvh_top(scratch, input, tree, config_.code_bits, config_.cluster_bits);
        std::size_t max_clusters = top.clusters.tasks.size;
        auto cluster_boxes = scratch.take<Box>(max_clusters);
        BinaryTree over{scratch.take<BinaryNode>(max_clusters),
                        scratch.take<std::uint64_t>(max_clusters),
                        scratch.take<std::uint32_t>(max_clusters), scratch.take<TreeHeader>(1)};
        SubtreeTasks whole{scratch.take<SubtreeTask>(1), scratch.take<std::uint32_t>(1)};
        auto boxes = input.boxes;
        auto linear = tree;
        parallel_for(
            stream, "cluster boxes", static_cast<std::uint32_t>(max_clusters),
            TL_LAMBDA(std::uint32_t i) {
                std::uint32_t n_clusters = top.clusters.n_tasks[0];
                if (i == 0) {
                    whole.tasks[0] = {0, n_clusters, SubtreeTask::kNoParent};
                    whole.n_tasks[0] = n_clusters > 1 ? 1 : 0;
                }
                if (i >= n_clusters) return;
                NodeRef root = top.roots[i];
                cluster_boxes[i] = root.is_leaf() ? boxes[linear.order[root.first()]]
                                                  : linear.nodes[root.node()].box();
                over.order[i] = i;
            });
        build_binned_subtrees(scratch, cluster_boxes, whole, max_clusters, config_.bins, over);
        TopReplacer replacer{tree, over, top};
        parallel_for(
            stream, "replace top", static_cast<std::uint32_t>(max_clusters),
            TL_LAMBDA(std::uint32_t i) { replacer.replace(i); });
        mark_leaves(scratch, input, tree);
    }
    Settings settings() override { return config_.settings(); }

  private:
    HlbvhConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_hlbvh_builder() {
    return std::make_unique<HlbvhBuilder>();
}

TL_DEVICE_END
