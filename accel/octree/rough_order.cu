// A tree needs its points in order by as many levels as it has, which is about half of those that
// keys have. Once its nodes are known, the points of each leaf are put in the order of all levels,
// and of indices where keys are equal: each point counts those of its leaf that come before it. On
// a GPU that takes less time than sorting by all levels.
#include "accel/octree/rough_order.h"

#include "accel/octree/leaf_levels.h"
#include "accel/octree/nodes_by_rank.h"
#include "accel/octree/sorted_points.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

struct OrderLeavesPass {
    View<OctreeHeader> header;
    View<const Surfel> from;
    Pairs<std::uint64_t> rough;  ///< keys, and where in `from` the points are
    int n_levels;                ///< by which these are in order
    View<const std::uint16_t> steps;
    std::uint32_t leaf_size;
    bool in_place;
    View<Surfel> points;
    View<std::uint64_t> keys;

    TL_D void bring(std::uint32_t i) const {
        std::uint32_t to = i < header[0].n_points ? place_of(i) : i;
        Surfel point = load_whole(from[rough.values[i]]);
        keys[to] = rough.keys[i];
        store_whole(points[to], cleaned(point, in_place ? point.index : rough.values[i]));
    }
    /// By how many points of the leaf come before it. In leaves that should have been split, and in
    /// those of more than leaf_size points at one place, it stays.
    TL_D std::uint32_t place_of(std::uint32_t i) const {
        std::uint32_t n = header[0].n_points, n_seen = 1, to = i;
        for (std::uint32_t j = i; n_seen <= leaf_size && !is_end(j); ++n_seen)
            to -= is_before(i, --j);
        for (std::uint32_t j = i + 1; n_seen <= leaf_size && j < n && !is_end(j); ++n_seen)
            to += is_before(j++, i);
        if (n_seen <= leaf_size) return to;
        if (n_levels < OctreeGrid::kLevels) header[0].is_shallow = 1;
        return i;
    }
    /// Whether points that may have to change places end before point i: a leaf, or where keys are
    /// in order by all levels, those with equal keys.
    [[nodiscard]] TL_D bool is_end(std::uint32_t i) const {
        if (n_levels == OctreeGrid::kLevels) return i == 0 || rough.keys[i - 1] != rough.keys[i];
        LevelStep step = LevelStep::from(steps[i]);
        return step.common < step.leaf;
    }
    /// Whether point a is to come before point b, which it comes after.
    [[nodiscard]] TL_D bool is_before(std::uint32_t a, std::uint32_t b) const {
        if (rough.keys[a] != rough.keys[b]) return rough.keys[a] < rough.keys[b];
        return in_place && from[rough.values[a]].index < from[rough.values[b]].index;
    }
};

}  // namespace

void order_points(Scratch& scratch, View<const Surfel> points, bool in_place,
                  const OctreeConfig& config, Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto rough = find_keys(scratch, points, config, tree, timer);
    int n_levels = tree.key_levels();
    {
        StageTimer::Scope stage(timer, "sort");
        Pairs<std::uint64_t> spare{tree.key_buffers().spare,
                                   scratch.take<std::uint32_t>(points.size)};
        rough = sort_pairs(scratch, rough, spare, 3 * (OctreeGrid::kLevels - n_levels));
        tree.use_keys(tree.other_keys(rough.keys));
    }
    OctreeView view = tree.view();
    auto steps = take_steps(scratch, points.size);
    {
        StageTimer::Scope stage(timer, "nodes");
        write_nodes_by_rank(scratch, config, view, {rough.keys, n_levels, steps});
    }
    StageTimer::Scope stage(timer, "gather");
    const OrderLeavesPass pass{view.header, points,
                               rough,       n_levels,
                               steps,       static_cast<std::uint32_t>(config.leaf_size),
                               in_place,    in_place ? tree.spare_points(stream) : view.points,
                               view.keys};
    parallel_for(
        stream, "octree points", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) { pass.bring(i); });
    if (in_place) tree.use_spare_points();
}

TL_DEVICE_END
