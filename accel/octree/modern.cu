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
        Scratch::Scope scope(scratch);
        auto keys = find_keys(scratch, points, config, tree, timer);
        int key_levels = tree.key_levels();
        {
            StageTimer::Scope stage(timer, "sort");
            Pairs<std::uint64_t> spare{tree.key_buffers().spare,
                                       scratch.take<std::uint32_t>(points.size)};
            keys = sort_pairs(scratch, keys, spare, 3 * (OctreeGrid::kLevels - key_levels));
        }
        // Keys that are not in order yet are put into the other buffer.
        bool in_order = key_levels == OctreeGrid::kLevels;
        tree.use_keys(in_order ? keys.keys : tree.other_keys(keys.keys));
        {
            StageTimer::Scope stage(timer, "nodes");
            write_nodes_by_rank(scratch, config, tree.view(), keys.keys, key_levels);
        }
        StageTimer::Scope stage(timer, "points and attributes");
        PointsToCome to_come{points, keys.values, {}, false};
        if (!in_order) to_come.keys = keys.keys;
        sum_attributes(scratch, config, tree.view(), to_come);
    }
};

}  // namespace

std::unique_ptr<OctreeBuilder> make_modern_octree_builder() {
    return std::make_unique<ModernOctreeBuilder>();
}

TL_DEVICE_END
