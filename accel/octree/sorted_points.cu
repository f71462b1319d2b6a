#include "accel/octree/sorted_points.h"

#include "accel/bvh/builders/ordered_box.h"
#include "accel/octree/octree_keys.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

TL_D Box bounds_of(const OctreeHeader& header) {
    OrderedBox box;
    for (int k = 0; k < 6; ++k) box.maxima[k] = load_fresh(&header.bounds[k]);
    return box.box();
}

/// The bounds and the number of the points that are somewhere; the last block to end makes the
/// grid.
struct BoundsPass {
    static constexpr int kThreads = 256;
    static constexpr std::uint32_t kChunk = 1024;
    /// Eight blocks on each of 132 multiprocessors.
    static constexpr std::uint32_t kMostBlocks = 1056;

    View<const Surfel> points;
    OctreeHeader* header;
    SpaceCurve curve;
    std::uint32_t* n_done;  ///< blocks

    struct Shared {
        OrderedBox box;
        std::uint32_t n;
    };
    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        if (block.rank == 0) {
            shared.box.clear();
            shared.n = 0;
        }
        block.sync();
        Box box;
        std::uint32_t n = 0, n_points = static_cast<std::uint32_t>(points.size);
        for (std::uint32_t first = block.index * kChunk; first < n_points;
             first += block.n_blocks * kChunk) {
            std::uint32_t end = first + kChunk < n_points ? first + kChunk : n_points;
            for (std::uint32_t i = first + block.rank; i < end; i += block.size) {
                vec3 p = points[i].position;
                if (!is_somewhere(p)) continue;
                box.extend(p);
                ++n;
            }
        }
        shared.box.extend_by_all(box);
        block_add(&shared.n, n);
        block.sync();
        if (block.rank > 0) return;
        for (int k = 0; k < 6; ++k) atomic_max(&header->bounds[k], shared.box.maxima[k]);
        atomic_add(&header->n_points, shared.n);
        if (atomic_arrive(n_done) + 1 < block.n_blocks) return;
        header->grid = grid_over(bounds_of(*header), curve);
        header->n_dropped = n_points - load_fresh(&header->n_points);
    }
};

/// Points lie anywhere in memory: a CPU asks for them before their turn comes.
TL_D void ask_ahead(View<const Surfel> points, View<const std::uint32_t> order, std::uint32_t i) {
#if defined(__CUDACC__)
    (void)points, (void)order, (void)i;
#else
    constexpr std::uint32_t kAhead = 32;
    if (i + kAhead < order.size) __builtin_prefetch(&points[order[i + kAhead]]);
#endif
}

}  // namespace

void find_grid(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(points.size);
    tree.reserve(stream, points.size, config);
    OctreeHeader* header = tree.view().header.data;
    auto n_done = scratch.take<std::uint32_t>(1);
    stream.device().fill_zero(stream, header, sizeof(OctreeHeader));
    stream.device().fill_zero(stream, n_done.data, sizeof(std::uint32_t));
    StageTimer::Scope stage(timer, "bounds");
    std::uint32_t n_blocks = (n + BoundsPass::kChunk - 1) / BoundsPass::kChunk;
    if (n_blocks > BoundsPass::kMostBlocks) n_blocks = BoundsPass::kMostBlocks;
    launch_blocks<BoundsPass::kThreads>(stream, "octree bounds", n_blocks,
                                        BoundsPass{points, header, config.curve, n_done.data});
}

Pairs<std::uint64_t> write_keys(Scratch& scratch, View<const Surfel> points, Octree& tree,
                                StageTimer& timer) {
    StageTimer::Scope stage(timer, "keys");
    auto n = static_cast<std::uint32_t>(points.size);
    OctreeHeader* header = tree.view().header.data;
    Pairs<std::uint64_t> pairs{tree.key_buffers().now, scratch.take<std::uint32_t>(n)};
    parallel_for(
        scratch.stream(), "octree keys", n, TL_LAMBDA(std::uint32_t i) {
            pairs.keys[i] = key_of(header->grid, points[i].position);
            pairs.values[i] = i;
        });
    return pairs;
}

void gather_points(Stream& stream, View<const Surfel> points, View<const std::uint32_t> order,
                   Octree& tree, StageTimer& timer) {
    StageTimer::Scope stage(timer, "gather");
    View<Surfel> sorted = tree.view().points;
    parallel_for(
        stream, "octree points", static_cast<std::uint32_t>(order.size),
        TL_LAMBDA(std::uint32_t i) {
            ask_ahead(points, order, i);
            store_whole(sorted[i], cleaned(load_whole(points[order[i]]), order[i]));
        });
}

void sort_points(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                 Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    find_grid(scratch, points, config, tree, timer);
    auto pairs = write_keys(scratch, points, tree, timer);
    {
        StageTimer::Scope stage(timer, "sort");
        Pairs<std::uint64_t> spare{tree.key_buffers().spare,
                                   scratch.take<std::uint32_t>(points.size)};
        pairs = sort_pairs(scratch, pairs, spare);
        tree.use_keys(pairs.keys);
    }
    gather_points(scratch.stream(), points, pairs.values, tree, timer);
}

TL_DEVICE_END
