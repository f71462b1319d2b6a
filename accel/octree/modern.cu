// The octree in few passes over sorted keys, without a loop over levels: nodes_by_rank.cu and
// node_attributes.cu tell how.
//
// Keys are sorted by the levels that the last tree had and few more; once nodes are known, the
// points of each leaf are put in the order of all levels, which takes less time than sorting by
// these.
#include "accel/octree/leaf_levels.h"
#include "accel/octree/node_attributes.h"
#include "accel/octree/nodes_by_rank.h"
#include "accel/octree/octree_keys.h"
#include "accel/octree/sorted_points.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

/// Brings points to their places, and those of each leaf into the order of their whole keys.
struct OrderLeavesPass {
    OctreeView tree;
    View<const Surfel> from;
    Pairs<std::uint64_t> rough;  ///< keys, and where in `from` the points are
    View<const std::uint16_t> steps;
    std::uint32_t leaf_size;

    TL_D void bring(std::uint32_t i) const {
        std::uint32_t to = i < tree.header[0].n_points ? place_of(i) : i;
        std::uint32_t index = rough.values[i];
        tree.keys[to] = rough.keys[i];
        store_whole(tree.points[to], cleaned(load_whole(from[index]), index));
    }
    /// By how many points of the leaf come before it; in leaves that should have been split, which
    /// may be of any size, as it is.
    TL_D std::uint32_t place_of(std::uint32_t i) const {
        std::uint32_t n = tree.header[0].n_points, n_seen = 1, to = i;
        std::uint64_t key = rough.keys[i];
        for (std::uint32_t j = i; n_seen <= leaf_size && !begins_leaf(j); ++n_seen)
            to -= rough.keys[--j] > key;
        for (std::uint32_t j = i + 1; n_seen <= leaf_size && j < n && !begins_leaf(j); ++n_seen)
            to += rough.keys[j++] < key;
        if (n_seen <= leaf_size) return to;
        tree.header[0].is_shallow = 1;
        return i;
    }
    [[nodiscard]] TL_D bool begins_leaf(std::uint32_t i) const {
        LevelStep step = LevelStep::from(steps[i]);
        return step.common < step.leaf;
    }
};

void build_from_rough_order(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                            Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto keys = find_keys(scratch, points, config, tree, timer);
    int n_levels = tree.key_levels();
    {
        StageTimer::Scope stage(timer, "sort");
        Pairs<std::uint64_t> spare{tree.key_buffers().spare,
                                   scratch.take<std::uint32_t>(points.size)};
        keys = sort_pairs(scratch, keys, spare, 3 * (OctreeGrid::kLevels - n_levels));
        tree.use_keys(tree.other_keys(keys.keys));
    }
    OctreeView view = tree.view();
    auto steps = take_steps(scratch, points.size);
    {
        StageTimer::Scope stage(timer, "nodes");
        write_nodes_by_rank(scratch, config, view, {keys.keys, n_levels, steps});
    }
    StageTimer::Scope stage(timer, "gather");
    const OrderLeavesPass pass{view, points, keys, steps,
                               static_cast<std::uint32_t>(config.leaf_size)};
    parallel_for(
        stream, "octree points", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) { pass.bring(i); });
}

class ModernOctreeBuilder final : public OctreeBuilder {
  public:
    void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer) override {
        tree.reserve(scratch.stream(), points.size, config);
        if (tree.key_levels() < OctreeGrid::kLevels) {
            build_from_rough_order(scratch, points, config, tree, timer);
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

std::unique_ptr<OctreeBuilder> make_modern_octree_builder() {
    return std::make_unique<ModernOctreeBuilder>();
}

TL_DEVICE_END
