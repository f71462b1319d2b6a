// Octree builder in few passes over sorted keys, without a loop over levels; see rough_order.cu,
// nodes_by_rank.cu and node_attributes.cu. An update does the same with points that are nearly in
// order already, so that memory is read and written nearly in order.
#include "accel/octree/node_attributes.h"
#include "accel/octree/nodes_by_rank.h"
#include "accel/octree/octree_update.h"
#include "accel/octree/rough_order.h"
#include "accel/octree/sorted_points.h"

TL_DEVICE_BEGIN

namespace {

class ModernOctreeBuilder final : public OctreeBuilder {
  public:
    void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer) override {
        tree.reserve(scratch.stream(), points.size, config);
        if (tree.key_levels() < OctreeGrid::kLevels) {
            order_points(scratch, points, false, config, tree, timer);
        } else {
            sort_points(scratch, points, config, tree, timer);
            StageTimer::Scope stage(timer, "nodes");
            write_nodes_by_rank(scratch, config, tree.view());
        }
        StageTimer::Scope stage(timer, "attributes");
        sum_attributes(scratch, tree.view());
    }
};

}  // namespace

void update_octree(Scratch& scratch, const OctreeConfig& config, Octree& tree, StageTimer& timer) {
    order_points(scratch, tree.view().points, true, config, tree, timer);
    StageTimer::Scope stage(timer, "attributes");
    sum_attributes(scratch, tree.view());
}

std::unique_ptr<OctreeBuilder> make_modern_octree_builder() {
    return std::make_unique<ModernOctreeBuilder>();
}

TL_DEVICE_END
