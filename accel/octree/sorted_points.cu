#include "accel/octree/sorted_points.h"

#include <cstddef>

#include "accel/bvh/builders/ordered_box.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

TL_D Box bounds_of(const OctreeHeader& header) {
    OrderedBox box;
    for (int k = 0; k < 6; ++k) box.maxima[k] = load_fresh(&header.bounds[k]);
    return box.box();
}

/// Result of the last block to finish, for later launches.
struct GridState {
    std::uint32_t n_done;       ///< number of finished blocks
    std::uint32_t has_changed;  ///< 1 if the grid differs from the header's previous one
};

TL_D bool is_same(const OctreeGrid& a, const OctreeGrid& b) {
    return a.lo == b.lo && a.cells_per_length == b.cells_per_length && a.cell_size == b.cell_size &&
           a.curve == b.curve && a.by_normal == b.by_normal;
}

/// Computes the bounds and the number of the valid points; the last block to finish sets the grid.
/// With kWithKeys it also writes keys, by the grid that the header had before.
template <bool kWithKeys>
struct BoundsPass {
    static constexpr int kThreads = 256;
    static constexpr std::uint32_t kChunk = 1024;
    /// Maximum number of blocks: eight on each of 132 multiprocessors.
    static constexpr std::uint32_t kMostBlocks = 1056;

    View<const Surfel> points;
    OctreeHeader* header;
    OctreeConfig config;
    GridState* state;
    KeysToWrite to;

    [[nodiscard]] static std::uint32_t n_blocks(std::size_t n_points) {
        std::size_t n_chunks = (n_points + kChunk - 1) / kChunk;
        return n_chunks > kMostBlocks ? kMostBlocks : static_cast<std::uint32_t>(n_chunks);
    }
    /// Calls work(i) for the block's points.
    template <class Work>
    TL_D void for_points(const Block<kThreads>& block, const Work& work) const {
        auto n_points = static_cast<std::uint32_t>(points.size);
        for (std::uint32_t first = block.index * kChunk; first < n_points;
             first += block.n_blocks * kChunk) {
            std::uint32_t end = first + kChunk < n_points ? first + kChunk : n_points;
            for (std::uint32_t i = first + block.rank; i < end; i += block.size) work(i);
        }
    }
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
        std::uint32_t n = 0;
        const OctreeGrid before = kWithKeys ? header->grid : OctreeGrid{};
        for_points(block, [&](std::uint32_t i) {
            vec3 p = points[i].position;
            if constexpr (kWithKeys) to.write(before, i, points[i]);
            if (!is_somewhere(p)) return;
            box.extend(p);
            ++n;
        });
        shared.box.extend_by_all(box);
        block_add(&shared.n, n);
        block.sync();
        if (block.rank > 0) return;
        for (int k = 0; k < 6; ++k) atomic_max(&header->bounds[k], shared.box.maxima[k]);
        atomic_add(&header->n_points, shared.n);
        if (atomic_arrive(&state->n_done) + 1 < block.n_blocks) return;
        header->n_dropped = static_cast<std::uint32_t>(points.size) - load_fresh(&header->n_points);
        OctreeGrid grid = grid_over(bounds_of(*header), config);
        if constexpr (kWithKeys) state->has_changed = is_same(grid, before) ? 0 : 1;
        header->grid = grid;
    }
};

/// Writes the keys again if the grid has changed.
struct KeysAgainPass : BoundsPass<true> {
    struct Shared {};

    TL_D void operator()(const Block<kThreads>& block, Shared&) const {
        if (state->has_changed == 0) return;
        for_points(block, [&](std::uint32_t i) { to.write(header->grid, i, points[i]); });
    }
};

template <bool kWithKeys>
BoundsPass<kWithKeys> launch_bounds(Scratch& scratch, View<const Surfel> points,
                                    const OctreeConfig& config, const KeysToWrite& to, Octree& tree,
                                    StageTimer& timer) {
    auto& stream = scratch.stream();
    OctreeHeader* header = tree.view().header.data;
    auto state = scratch.take<GridState>(1);
    constexpr std::size_t kKept = kWithKeys ? sizeof(OctreeGrid) : 0;
    static_assert(offsetof(OctreeHeader, grid) + sizeof(OctreeGrid) == sizeof(OctreeHeader));
    stream.device().fill_zero(stream, header, sizeof(OctreeHeader) - kKept);
    stream.device().fill_zero(stream, state.data, sizeof(GridState));
    StageTimer::Scope stage(timer, "bounds");
    using Pass = BoundsPass<kWithKeys>;
    Pass pass{points, header, config, state.data, to};
    launch_blocks<Pass::kThreads>(stream, "octree bounds", Pass::n_blocks(points.size), pass);
    return pass;
}

/// Prefetches a point that is gathered later on the CPU, since the addresses are random.
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
    tree.reserve(scratch.stream(), points.size, config);
    launch_bounds<false>(scratch, points, config, {}, tree, timer);
}

void write_keys(Stream& stream, View<const Surfel> points, const KeysToWrite& to, Octree& tree,
                StageTimer& timer) {
    StageTimer::Scope stage(timer, "keys");
    OctreeHeader* header = tree.view().header.data;
    parallel_for(
        stream, "octree keys", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) { to.write(header->grid, i, points[i]); });
}

void find_grid_and_keys(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                        const KeysToWrite& to, Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    const auto pass = launch_bounds<true>(scratch, points, config, to, tree, timer);
    StageTimer::Scope stage(timer, "keys");
    launch_blocks<KeysAgainPass::kThreads>(
        scratch.stream(), "octree keys", KeysAgainPass::n_blocks(points.size), KeysAgainPass{pass});
}

Pairs<std::uint64_t> take_keys(Scratch& scratch, std::size_t n, Octree& tree) {
    return {tree.key_buffers().now, scratch.take<std::uint32_t>(n)};
}

void gather_points(Stream& stream, View<const Surfel> points, View<const std::uint32_t> order,
                   Octree& tree, StageTimer& timer) {
    StageTimer::Scope stage(timer, "gather");
    View<Surfel> sorted = tree.view().points;
    parallel_for(
        stream, "octree points", static_cast<std::uint32_t>(order.size),
        TL_LAMBDA(std::uint32_t i) {
            ask_ahead(points, order, i);
            store_vectorized(sorted[i], cleaned(load_vectorized(points[order[i]]), order[i]));
        });
}

void sort_points(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                 Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    find_grid(scratch, points, config, tree, timer);
    auto pairs = take_keys(scratch, points.size, tree);
    write_keys(scratch.stream(), points, {pairs.keys, pairs.values}, tree, timer);
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
