// Points that move a little hardly leave their order, so that there is little to sort: the order of
// before is divided into tiles, each of which is sorted by itself, by a block. Bounds between tiles
// are set by the points about them; what is then in the wrong tile has moved, is taken out, sorted
// by itself, and merged into the rest, which is in order. Whatever the bounds are the order is
// right; they decide only how many points count as moved. Nodes and attributes are made anew: they
// take less time than finding out which have changed.
#include "accel/octree/octree_update.h"

#include "accel/octree/node_attributes.h"
#include "accel/octree/nodes_by_rank.h"
#include "accel/octree/sorted_points.h"
#include "accel/parallel/block.h"
#include "accel/parallel/whole_copy.h"
#if !defined(__CUDACC__)
#include <algorithm>
#include <numeric>
#endif

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kOrderTile = 1024;
constexpr int kOrderThreads = 256;
using OrderBlock = Block<kOrderThreads>;

/// A tile's keys, and where its points have been, from the tile's first on.
struct TileOrder {
    std::uint64_t keys[kOrderTile];
    std::uint16_t slots[kOrderTile];
};

/// What is sorted: keys in the order of before, and points that keep their places meanwhile.
struct OrderPass {
    View<const Surfel> points;
    Pairs<std::uint64_t> from;    ///< values are not read
    View<std::uint64_t> bounds;   ///< least keys of tiles; the first is 0
    Pairs<std::uint64_t> sorted;  ///< tile by tile; values are places of before
    View<std::uint32_t> has_moved;
    View<std::uint32_t> n_before;  ///< moved points before each place; one more for the end

    [[nodiscard]] TL_D std::uint32_t n() const {
        return static_cast<std::uint32_t>(from.keys.size);
    }
    [[nodiscard]] TL_D std::uint32_t n_tiles() const {
        return static_cast<std::uint32_t>(bounds.size);
    }
    /// Whether a point comes before another one.
    [[nodiscard]] TL_D bool is_before(std::uint64_t key_a, std::uint32_t place_a,
                                      std::uint64_t key_b, std::uint32_t place_b) const {
        return key_a != key_b ? key_a < key_b : points[place_a].index < points[place_b].index;
    }
    /// The median of nine keys about the tile's first, few of which will have moved far.
    TL_D void find_bound(std::uint32_t tile) const {
        constexpr int kAround = 4, kCount = 2 * kAround + 1;
        std::uint64_t keys[kCount];
        std::uint32_t first = tile * kOrderTile, last = n() - 1;
        for (int i = 0; i < kCount; ++i) {
            std::uint32_t place = first + static_cast<std::uint32_t>(i);
            place = place < kAround ? 0 : place - kAround;
            std::uint64_t key = from.keys[place < last ? place : last];
            int at = i;
            for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
            keys[at] = key;
        }
        bounds[tile] = tile == 0 ? 0 : keys[kAround];
        if (tile == 0) has_moved[n()] = 0;
    }
};

struct TilePass : OrderPass {
    using Shared = TileOrder;

    TL_D void operator()(const OrderBlock& block, Shared& tile) const {
        std::uint32_t first = block.index * kOrderTile, rest = n() - first;
        std::uint32_t size = rest < kOrderTile ? rest : kOrderTile;
        sort(block, first, size, tile);
        std::uint64_t least = bounds[block.index];
        bool is_last = block.index + 1 == n_tiles();
        std::uint64_t end = is_last ? ~std::uint64_t(0) : bounds[block.index + 1];
        for (std::uint32_t i = block.rank; i < size; i += block.size) {
            std::uint64_t key = tile.keys[i];
            sorted.keys[first + i] = key;
            sorted.values[first + i] = first + tile.slots[i];
            has_moved[first + i] = key < least || key >= end;
        }
    }
#if defined(__CUDACC__)
    /// A bitonic network (Batcher 1968); entries behind the last are greater than all.
    __device__ void sort(const OrderBlock& block, std::uint32_t first, std::uint32_t size,
                         Shared& tile) const {
        for (std::uint32_t i = block.rank; i < kOrderTile; i += block.size) {
            tile.keys[i] = i < size ? from.keys[first + i] : ~std::uint64_t(0);
            tile.slots[i] = static_cast<std::uint16_t>(i);
        }
        for (std::uint32_t length = 2; length <= kOrderTile; length *= 2)
            for (std::uint32_t step = length / 2; step > 0; step /= 2) {
                block.sync();
                for (std::uint32_t k = block.rank; k < kOrderTile / 2; k += block.size) {
                    std::uint32_t a = 2 * k - (k & (step - 1)), b = a + step;
                    bool ascends = !(a & length);
                    if (is_slot_before(first, tile, ascends ? b : a, ascends ? a : b))
                        swap(tile, a, b);
                }
            }
        block.sync();
    }
    __device__ bool is_slot_before(std::uint32_t first, const Shared& tile, std::uint32_t a,
                                   std::uint32_t b) const {
        if (tile.keys[a] != tile.keys[b]) return tile.keys[a] < tile.keys[b];
        if (tile.keys[a] == ~std::uint64_t(0)) return false;
        return points[first + tile.slots[a]].index < points[first + tile.slots[b]].index;
    }
    __device__ static void swap(Shared& tile, std::uint32_t a, std::uint32_t b) {
        std::uint64_t key = tile.keys[a];
        tile.keys[a] = tile.keys[b];
        tile.keys[b] = key;
        std::uint16_t slot = tile.slots[a];
        tile.slots[a] = tile.slots[b];
        tile.slots[b] = slot;
    }
#else
    /// By insertion, which is the least work for points that are nearly in order.
    void sort(const OrderBlock&, std::uint32_t first, std::uint32_t size, Shared& tile) const {
        std::uint32_t n_steps = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
            std::uint64_t key = from.keys[first + i];
            std::uint32_t at = i;
            for (;
                 at > 0 && is_before(key, first + i, tile.keys[at - 1], first + tile.slots[at - 1]);
                 --at, ++n_steps) {
                tile.keys[at] = tile.keys[at - 1];
                tile.slots[at] = tile.slots[at - 1];
            }
            tile.keys[at] = key;
            tile.slots[at] = static_cast<std::uint16_t>(i);
            if (n_steps > 8 * kOrderTile) return sort_anew(first, size, tile);
        }
    }
    void sort_anew(std::uint32_t first, std::uint32_t size, Shared& tile) const {
        std::iota(tile.slots, tile.slots + size, std::uint16_t(0));
        std::sort(tile.slots, tile.slots + size, [&](std::uint16_t a, std::uint16_t b) {
            return is_before(from.keys[first + a], first + a, from.keys[first + b], first + b);
        });
        for (std::uint32_t i = 0; i < size; ++i) tile.keys[i] = from.keys[first + tile.slots[i]];
    }
#endif
};

/// Merges the points that have stayed with those that have moved, which are in order too.
struct MergePass : OrderPass {
    Pairs<std::uint64_t> stayed, moved, merged;

    /// Of the entries of a list in order, how many come before a point.
    [[nodiscard]] TL_D std::uint32_t count_before(const Pairs<std::uint64_t>& list,
                                                  std::uint32_t n_list, std::uint64_t key,
                                                  std::uint32_t place) const {
        std::uint32_t first = 0;
        while (n_list > 0) {
            std::uint32_t half = n_list / 2, middle = first + half;
            if (is_before(list.keys[middle], list.values[middle], key, place)) {
                first = middle + 1;
                n_list -= half + 1;
            } else {
                n_list = half;
            }
        }
        return first;
    }
    TL_D void part(std::uint32_t i) const {
        bool moves = has_moved[i];
        std::uint32_t to = moves ? n_before[i] : i - n_before[i];
        const auto& list = moves ? moved : stayed;
        list.keys[to] = sorted.keys[i];
        list.values[to] = sorted.values[i];
    }
    TL_D void merge(std::uint32_t i) const {
        auto n_moved = static_cast<std::uint32_t>(moved.keys.size), n_stayed = n() - n_moved;
        bool moves = i < n_moved;
        std::uint32_t own = moves ? i : i - n_moved;
        std::uint64_t key = (moves ? moved : stayed).keys[own];
        std::uint32_t place = (moves ? moved : stayed).values[own];
        std::uint32_t to = own + (moves ? count_before(stayed, n_stayed, key, place)
                                        : count_before(moved, n_moved, key, place));
        merged.keys[to] = key;
        merged.values[to] = place;
    }
};

/// Sorts points that have moved by keys, those of equal keys by indices.
Pairs<std::uint64_t> sort_moved(Scratch& scratch, View<const Surfel> points,
                                const Pairs<std::uint64_t>& moved) {
    auto n = static_cast<std::uint32_t>(moved.keys.size);
    auto take = [&] { return scratch.take<std::uint32_t>(n); };
    Pairs<std::uint32_t> by_index{take(), take()};
    parallel_for(
        scratch.stream(), "indices of moved points", n, TL_LAMBDA(std::uint32_t i) {
            by_index.keys[i] = points[moved.values[i]].index;
            by_index.values[i] = i;
        });
    by_index = sort_pairs(scratch, by_index, {take(), take()});
    Pairs<std::uint64_t> ordered{scratch.take<std::uint64_t>(n), take()};
    parallel_for(
        scratch.stream(), "moved points by index", n, TL_LAMBDA(std::uint32_t i) {
            ordered.keys[i] = moved.keys[by_index.values[i]];
            ordered.values[i] = moved.values[by_index.values[i]];
        });
    return sort_pairs(scratch, ordered, moved);
}

/// The most of `n` points that may have moved: sorting all takes about as long then.
std::uint32_t most_moved(std::uint32_t n) {
    return n / 8;
}

/// From the points' old places to new ones, with keys and points in order. Returns how many have
/// moved; where that is too many, the points are as they were.
std::uint32_t order_moved_points(Scratch& scratch, const OctreeConfig& config, Octree& tree,
                                 StageTimer& timer) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    View<const Surfel> points = tree.view().points;
    auto n = static_cast<std::uint32_t>(points.size);
    std::uint32_t n_tiles = (n + kOrderTile - 1) / kOrderTile;
    OrderPass pass;
    pass.points = points;
    pass.from = find_keys(scratch, points, config, tree, timer);
    pass.bounds = scratch.take<std::uint64_t>(n_tiles);
    pass.sorted = {tree.key_buffers().spare, scratch.take<std::uint32_t>(n)};
    pass.has_moved = scratch.take<std::uint32_t>(n + 1);
    pass.n_before = scratch.take<std::uint32_t>(n + 1);
    std::uint32_t n_moved = 0;
    {
        StageTimer::Scope stage(timer, "sort");
        parallel_for(
            stream, "bounds of tiles", n_tiles,
            TL_LAMBDA(std::uint32_t tile) { pass.find_bound(tile); });
        inclusive_scan<std::uint64_t>(scratch, pass.bounds, pass.bounds, Operator::maximum);
        launch_blocks<kOrderThreads>(stream, "sort tiles", n_tiles, TilePass{pass});
        exclusive_scan<std::uint32_t>(scratch, pass.has_moved, pass.n_before);
        stream.device().download(stream, &n_moved, pass.n_before.data + n, sizeof n_moved);
        if (n_moved > most_moved(n)) return n_moved;
        // The keys as they were are not needed any more, nor then are those sorted tile by tile.
        MergePass merge{pass, {}, {}, {}};
        auto take = [&](std::uint32_t count) {
            return Pairs<std::uint64_t>{scratch.take<std::uint64_t>(count),
                                        scratch.take<std::uint32_t>(count)};
        };
        merge.stayed = {{pass.from.keys.data, n - n_moved}, {pass.from.values.data, n - n_moved}};
        merge.moved = take(n_moved);
        parallel_for(
            stream, "part moved points", n, TL_LAMBDA(std::uint32_t i) { merge.part(i); });
        merge.moved = sort_moved(scratch, points, merge.moved);
        merge.merged = pass.sorted;
        parallel_for(
            stream, "merge moved points", n, TL_LAMBDA(std::uint32_t i) { merge.merge(i); });
        tree.use_keys(pass.sorted.keys);
    }
    StageTimer::Scope stage(timer, "gather");
    regather_points(stream, pass.sorted.values, tree);
    return n_moved;
}

/// The points in the order of their indices, in scratch memory of the caller's scope.
View<Surfel> points_as_given(Scratch& scratch, View<const Surfel> points) {
    auto given = scratch.take<Surfel>(points.size);
    parallel_for(
        scratch.stream(), "points as given", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) {
            Surfel point = load_whole(points[i]);
            store_whole(given[point.index], point);
        });
    return given;
}

}  // namespace

std::uint32_t update_octree(Scratch& scratch, const OctreeConfig& config, Octree& tree,
                            StageTimer& timer) {
    auto n = static_cast<std::uint32_t>(tree.view().points.size);
    if (n == 0) return 0;
    std::uint32_t n_moved = order_moved_points(scratch, config, tree, timer);
    if (n_moved > most_moved(n)) {
        Scratch::Scope scope(scratch);
        auto given = points_as_given(scratch, tree.view().points);
        sort_points(scratch, given, config, tree, timer);
    }
    {
        StageTimer::Scope stage(timer, "nodes");
        write_nodes_by_rank(scratch, config, tree.view());
    }
    StageTimer::Scope stage(timer, "attributes");
    sum_attributes(scratch, tree.view());
    return n_moved;
}

TL_DEVICE_END
