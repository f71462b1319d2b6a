// Hybrid BVH builder of Zeidan 2011, section 4.7.1 (after Lauterbach et al. 2009). The top levels
// are those of a linear BVH over sorted Morton codes. Binned SAH builds the subtrees of its
// clusters.
#include <algorithm>

#include "accel/bvh/builders/binned.h"
#include "accel/bvh/builders/builder_configs.h"
#include "accel/bvh/builders/lbvh_top.h"
#include "accel/bvh/passes/mark_leaves.h"

TL_DEVICE_BEGIN

namespace {

class HybridBinnedBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        LbvhTop top = build_lbvh_top(scratch, input, tree, CodeBits::bits30, config_.top_bits);
        // Primitives on surfaces occupy only about 2^(2/3 top_bits) clusters; the shift is a little
        // less.
        std::size_t usual_size = input.boxes.size >> (config_.top_bits / 2);
        build_binned_subtrees(scratch, input.boxes, top.clusters, usual_size, config_.bins, tree);
        mark_leaves(scratch, input, tree);
    }
    Settings settings() override { return config_.settings(); }

  private:
    HybridBinnedConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_hybrid_binned_builder() {
    return std::make_unique<HybridBinnedBuilder>();
}

TL_DEVICE_END
