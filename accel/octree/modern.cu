// The octree in few passes over sorted keys, without a loop over levels: nodes_by_rank.cu and
// node_attributes.cu tell how.
#include "accel/octree/node_attributes.h"
#include "accel/octree/nodes_by_rank.h"
#include "accel/octree/sorted_points.h"

TL_DEVICE_BEGIN

namespace {

class ModernOctreeBuilder final : public OctreeBuilder {
  public:
    void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer) override {
        sort_points(scratch, points, config, tree, timer);
        {
            StageTimer::Scope stage(timer, "nodes");
            write_nodes_by_rank(scratch, config, tree.view());
        }
        StageTimer::Scope stage(timer, "attributes");
        sum_attributes(scratch, tree.view());
    }
};

}  // namespace

std::unique_ptr<OctreeBuilder> make_modern_octree_builder() {
    return std::make_unique<ModernOctreeBuilder>();
}

TL_DEVICE_END
