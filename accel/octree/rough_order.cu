// A tree needs its points in order by as many levels as it has, which is about half of those that
// keys have. Once its nodes are known, the points of each leaf are put in the order of all levels,
// and of indices where keys are equal: each point counts those of its leaf that come before it. On
// a GPU that takes less time than sorting by all levels. Where the levels of a key and the number
// of a point fit into a word of 64 bits, such words are sorted: a third less to read and to write
// than keys of 64 bits with a number of 32.
#include "accel/octree/rough_order.h"

#include <bit>

#include "accel/octree/leaf_levels.h"
#include "accel/octree/nodes_by_rank.h"
#include "accel/octree/sorted_points.h"
#include "accel/parallel/operators/sort_keys.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

/// Points in order by the upper levels of their keys.
struct RoughPoints {
    LevelKeys order;
    View<const std::uint64_t> keys;       ///< all of each: in this order, or by number
    View<const std::uint32_t> numbers{};  ///< empty where words have them

    [[nodiscard]] TL_D std::uint32_t number(std::uint32_t i) const {
        if (!numbers.empty()) return numbers[i];
        std::uint64_t mask = (std::uint64_t(1) << order.n_number_bits) - 1;
        return static_cast<std::uint32_t>(order.words[i] & mask);
    }
    [[nodiscard]] TL_D std::uint64_t key(std::uint32_t i) const {
        return keys[numbers.empty() ? number(i) : i];
    }
};

/// A block brings a chunk of points. Keys of these and of their neighbours are in shared memory,
/// but not in an update: they then lie nearly in order, so that it would cost more than it saves.
struct OrderLeavesPass {
    static constexpr int kThreads = 256;
    static constexpr std::uint32_t kChunk = 256, kMargin = 32, kRoom = kChunk + 2 * kMargin;

    struct Shared {
        std::uint64_t keys[kRoom];  ///< of the points from kMargin before the chunk on
    };
    struct NearKeys {
        RoughPoints rough;
        const Shared& shared;
        std::uint32_t first;  ///< wraps around where it would be negative

        TL_D std::uint64_t operator[](std::uint32_t i) const {
            return i - first < kRoom ? shared.keys[i - first] : rough.key(i);
        }
    };
    struct AllKeys {
        RoughPoints rough;

        TL_D std::uint64_t operator[](std::uint32_t i) const { return rough.key(i); }
    };
    View<OctreeHeader> header;
    View<const Surfel> from;
    RoughPoints rough;  ///< by their numbers in `from`
    int n_levels;       ///< by which these are in order
    View<const std::uint16_t> steps;
    std::uint32_t leaf_size;
    bool in_place;
    View<Surfel> points;
    View<std::uint64_t> keys;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t first = block.index * kChunk;
        const NearKeys near{rough, shared, first - kMargin};
        for (std::uint32_t k = block.rank; k < kRoom; k += block.size)
            if (near.first + k < from.size) shared.keys[k] = rough.key(near.first + k);
        block.sync();
        for (std::uint32_t k = block.rank; k < kChunk; k += block.size)
            if (first + k < from.size) bring(first + k, near);
    }
    template <class Keys>
    TL_D void bring(std::uint32_t i, const Keys& near) const {
        std::uint32_t to = i < header[0].n_points ? place_of(i, near) : i;
        std::uint32_t number = rough.number(i);
        Surfel point = load_whole(from[number]);
        keys[to] = near[i];
        store_whole(points[to], cleaned(point, in_place ? point.index : number));
    }
    /// By how many points of the leaf come before it. In leaves that should have been split, and in
    /// those of more than leaf_size points at one place, it stays.
    template <class Keys>
    TL_D std::uint32_t place_of(std::uint32_t i, const Keys& near) const {
        std::uint32_t n = header[0].n_points, n_seen = 1, to = i;
        for (std::uint32_t j = i; n_seen <= leaf_size && !is_end(j, near); ++n_seen)
            to -= is_before(i, --j, near);
        for (std::uint32_t j = i + 1; n_seen <= leaf_size && j < n && !is_end(j, near); ++n_seen)
            to += is_before(j++, i, near);
        if (n_seen <= leaf_size) return to;
        if (n_levels < OctreeGrid::kLevels) header[0].is_shallow = 1;
        return i;
    }
    /// Whether points that may have to change places end before point i: a leaf, or where keys are
    /// in order by all levels, those with equal keys.
    template <class Keys>
    [[nodiscard]] TL_D bool is_end(std::uint32_t i, const Keys& near) const {
        if (n_levels == OctreeGrid::kLevels) return i == 0 || near[i - 1] != near[i];
        LevelStep step = LevelStep::from(steps[i]);
        return step.common < step.leaf;
    }
    /// Whether point a is to come before point b, which it comes after.
    template <class Keys>
    [[nodiscard]] TL_D bool is_before(std::uint32_t a, std::uint32_t b, const Keys& near) const {
        std::uint64_t key_a = near[a], key_b = near[b];
        if (key_a != key_b) return key_a < key_b;
        return in_place && from[rough.number(a)].index < from[rough.number(b)].index;
    }
};

/// The number of bits that the numbers of `n` points take.
int bits_of_numbers(std::size_t n) {
    return n > 1 ? static_cast<int>(std::bit_width(n - 1)) : 1;
}

/// By words of upper levels above numbers, which must fit. Keys stay as the points are given.
RoughPoints sort_words(Scratch& scratch, View<const Surfel> points, int n_left_out, Octree& tree,
                       StageTimer& timer) {
    auto n = static_cast<std::uint32_t>(points.size);
    int n_number_bits = bits_of_numbers(n);
    auto words = scratch.take<std::uint64_t>(n), spare = scratch.take<std::uint64_t>(n);
    auto keys = tree.key_buffers().now;
    {
        StageTimer::Scope stage(timer, "keys");
        OctreeHeader* header = tree.view().header.data;
        parallel_for(
            scratch.stream(), "octree keys", n, TL_LAMBDA(std::uint32_t i) {
                std::uint64_t key = key_of(header->grid, points[i].position);
                keys[i] = key;
                words[i] = key >> n_left_out << n_number_bits | i;
            });
    }
    StageTimer::Scope stage(timer, "sort");
    tree.use_keys(tree.other_keys(keys));
    int end_bit = n_number_bits + kKeyBits - n_left_out;
    return {{sort_keys(scratch, words, spare, n_number_bits, end_bit), n_number_bits, n_left_out},
            keys};
}

/// By keys with numbers beside them.
RoughPoints sort_keys_and_numbers(Scratch& scratch, View<const Surfel> points, int n_left_out,
                                  Octree& tree, StageTimer& timer) {
    auto pairs = write_keys(scratch, points, tree, timer);
    StageTimer::Scope stage(timer, "sort");
    Pairs<std::uint64_t> spare{tree.key_buffers().spare, scratch.take<std::uint32_t>(points.size)};
    pairs = sort_pairs(scratch, pairs, spare, n_left_out);
    tree.use_keys(tree.other_keys(pairs.keys));
    return {{pairs.keys}, pairs.keys, pairs.values};
}

}  // namespace

void order_points(Scratch& scratch, View<const Surfel> points, bool in_place,
                  const OctreeConfig& config, Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    find_grid(scratch, points, config, tree, timer);
    int n_levels = tree.key_levels(), n_left_out = 3 * (OctreeGrid::kLevels - n_levels);
    bool fits = kKeyBits - n_left_out + bits_of_numbers(points.size) <= 64;
    RoughPoints rough = fits ? sort_words(scratch, points, n_left_out, tree, timer)
                             : sort_keys_and_numbers(scratch, points, n_left_out, tree, timer);
    OctreeView view = tree.view();
    auto steps = take_steps(scratch, points.size);
    {
        StageTimer::Scope stage(timer, "nodes");
        write_nodes_by_rank(scratch, config, view, {rough.order, n_levels, steps});
    }
    StageTimer::Scope stage(timer, "gather");
    const OrderLeavesPass pass{view.header, points,
                               rough,       n_levels,
                               steps,       static_cast<std::uint32_t>(config.leaf_size),
                               in_place,    in_place ? tree.spare_points(stream) : view.points,
                               view.keys};
    auto n_chunks = static_cast<std::uint32_t>((points.size + OrderLeavesPass::kChunk - 1) /
                                               OrderLeavesPass::kChunk);
    if (!in_place)
        return launch_blocks<OrderLeavesPass::kThreads>(stream, "octree points", n_chunks, pass);
    parallel_for(
        stream, "octree points", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) { pass.bring(i, OrderLeavesPass::AllKeys{pass.rough}); });
    tree.use_spare_points();
}

TL_DEVICE_END
