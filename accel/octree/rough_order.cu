// Two-stage sort of an octree's points. A tree needs its points sorted by as many levels as it has,
// which is about half of those in the keys. On a GPU the radix sort covers these levels and a few
// more. Points are gathered once the nodes are known. The few points that agree in all sorted
// levels are then ordered by all levels, and by index if keys are equal: each point counts those
// among them that precede it.
//
// If the sorted levels of a key and the number of a point fit into 64 bits, such words are sorted.
// They are a third less to read and write than keys of 64 bits with numbers of 32. Whole keys are
// recomputed from the points, which are read anyway.
#include "accel/octree/rough_order.h"

#include <bit>

#include "accel/octree/leaf_levels.h"
#include "accel/octree/nodes_by_rank.h"
#include "accel/octree/sorted_points.h"
#include "core/device/vectorized_copy.h"
#include "core/operators/sort_keys.h"

TL_DEVICE_BEGIN

namespace {

/// Points sorted by the upper levels of their keys.
struct RoughPoints {
    LevelKeys order;
    View<const std::uint32_t> numbers{};  ///< numbers of the points; empty if words contain them

    [[nodiscard]] TL_D std::uint32_t number(std::uint32_t i) const {
        if (!numbers.empty()) return numbers[i];
        std::uint64_t mask = (std::uint64_t(1) << order.n_number_bits) - 1;
        return static_cast<std::uint32_t>(order.words[i] & mask);
    }
};

/// Gathers points in their final order. Points that share all sorted levels are ordered by all
/// levels.
struct BringPass {
    View<OctreeHeader> header;
    View<const Surfel> from;
    RoughPoints rough;  ///< numbers are indices into `from`
    int n_levels;       ///< number of sorted levels
    std::uint32_t leaf_size;
    bool in_place;
    View<Surfel> points;
    View<std::uint64_t> keys;

    TL_D void bring(std::uint32_t i) const {
        std::uint32_t number = rough.number(i);
        Surfel point = load_vectorized(from[number]);
        std::uint64_t key = key_at(i, point);
        std::uint32_t to = i < header[0].n_points ? place_of(i, key, point) : i;
        keys[to] = key;
        store_vectorized(points[to], cleaned(point, in_place ? point.index : number));
    }
    /// Returns the whole key; words have only its upper levels.
    [[nodiscard]] TL_D std::uint64_t key_at(std::uint32_t i, const Surfel& point) const {
        return rough.numbers.empty() ? key_of(header[0].grid, point) : rough.order[i];
    }
    /// Returns the final position of point i: counts the points with equal sorted levels that
    /// precede it. If there are more than leaf_size of these, the point stays. Then either a cell
    /// should have been split, or the points share all levels.
    [[nodiscard]] TL_D std::uint32_t place_of(std::uint32_t i, std::uint64_t key,
                                              const Surfel& point) const {
        std::uint32_t n = header[0].n_points, n_seen = 1, to = i;
        for (std::uint32_t j = i; n_seen <= leaf_size && j > 0 && is_alike(j - 1, j); ++n_seen) {
            Surfel other = from[rough.number(--j)];
            to -= is_before(key, point, key_at(j, other), other);
        }
        for (std::uint32_t j = i + 1; n_seen <= leaf_size && j < n && is_alike(i, j); ++n_seen) {
            Surfel other = from[rough.number(j)];
            to += is_before(key_at(j++, other), other, key, point);
        }
        if (n_seen <= leaf_size) return to;
        if (n_levels < OctreeGrid::kLevels) header[0].is_shallow = 1;
        return i;
    }
    /// Whether two points share all sorted levels.
    [[nodiscard]] TL_D bool is_alike(std::uint32_t a, std::uint32_t b) const {
        return (rough.order[a] ^ rough.order[b]) >> 3 * (OctreeGrid::kLevels - n_levels) == 0;
    }
    /// Whether point a must precede point b, given that it currently follows it.
    [[nodiscard]] TL_D bool is_before(std::uint64_t key_a, const Surfel& a, std::uint64_t key_b,
                                      const Surfel& b) const {
        return key_a != key_b ? key_a < key_b : in_place && a.index < b.index;
    }
};

/// Number of bits of the numbers of `n` points.
int bits_of_numbers(std::size_t n) {
    return n > 1 ? static_cast<int>(std::bit_width(n - 1)) : 1;
}

/// Radix sort of points by the upper levels of their keys.
struct RoughSort {
    Scratch& scratch;
    View<const Surfel> points;
    bool in_place;
    const OctreeConfig& config;
    Octree& tree;
    StageTimer& timer;
    int n_left_out = 3 * (OctreeGrid::kLevels - tree.key_levels());
    int n_number_bits = bits_of_numbers(points.size);

    RoughPoints run() {
        bool fits = kKeyBits - n_left_out + n_number_bits <= 64;
        return fits ? sort_words() : sort_keys_and_numbers();
    }
    void write_keys_to(const KeysToWrite& to) {
        if (in_place) return find_grid_and_keys(scratch, points, config, to, tree, timer);
        find_grid(scratch, points, config, tree, timer);
        write_keys(scratch.stream(), points, to, tree, timer);
    }
    /// Sorts words that have the upper levels above the numbers.
    RoughPoints sort_words() {
        std::size_t n = points.size;
        auto words = scratch.take<std::uint64_t>(n), spare = scratch.take<std::uint64_t>(n);
        write_keys_to({{}, {}, words, n_left_out, n_number_bits});
        StageTimer::Scope stage(timer, "sort");
        int end_bit = n_number_bits + kKeyBits - n_left_out;
        return {
            {sort_keys(scratch, words, spare, n_number_bits, end_bit), n_number_bits, n_left_out}};
    }
    /// Sorts pairs of keys and numbers.
    RoughPoints sort_keys_and_numbers() {
        auto pairs = take_keys(scratch, points.size, tree);
        write_keys_to({pairs.keys, pairs.values});
        StageTimer::Scope stage(timer, "sort");
        Pairs<std::uint64_t> spare{tree.key_buffers().spare,
                                   scratch.take<std::uint32_t>(points.size)};
        pairs = sort_pairs(scratch, pairs, spare, n_left_out);
        tree.use_keys(tree.other_keys(pairs.keys));
        return {{pairs.keys}, pairs.values};
    }
};

}  // namespace

void order_points(Scratch& scratch, View<const Surfel> points, bool in_place,
                  const OctreeConfig& config, Octree& tree, StageTimer& timer) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    tree.reserve(stream, points.size, config);
    int n_levels = tree.key_levels();
    RoughPoints rough = RoughSort{scratch, points, in_place, config, tree, timer}.run();
    OctreeView view = tree.view();
    auto steps = take_steps(scratch, points.size);
    {
        StageTimer::Scope stage(timer, "nodes");
        write_nodes_by_rank(scratch, config, view, {rough.order, n_levels, steps});
    }
    StageTimer::Scope stage(timer, "gather");
    const BringPass pass{view.header,
                         points,
                         rough,
                         n_levels,
                         static_cast<std::uint32_t>(config.leaf_size),
                         in_place,
                         in_place ? tree.spare_points(stream) : view.points,
                         view.keys};
    parallel_for(
        stream, "octree points", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) { pass.bring(i); });
    if (in_place) tree.use_spare_points();
}

TL_DEVICE_END
