// Bottom-up octree builder, after Goradia 2008, chapter 5 ("Parallel Memory Efficient Bottom-Up
// Adaptive Octree"). First it finds the leaves along the space-filling curve. Then it builds a
// compressed octree: the leaves, and for each two neighbouring leaves the smallest cell with both.
// Finally it adds the cells that the compressed tree omits, since they have only one child.
//
// A cell is identified by one number, after Warren & Salmon 1993 ("A parallel hashed oct-tree
// N-body algorithm"): a 1 followed by the bits of its path. Ascending numbers are ordered level by
// level, and along the curve within a level. Where the report gives no details, leaves are found as
// in leaf_levels.h, duplicate cells are dropped after a sort, and parents and points are found by
// bisection.
#include "accel/octree/leaf_levels.h"
#include "accel/octree/node_attributes.h"
#include "accel/octree/set_levels.h"
#include "accel/octree/sorted_points.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Returns the path number of the cell of `level` that contains a key.
TL_D std::uint64_t path_of(std::uint64_t key, int level) {
    return std::uint64_t(1) << 3 * level | key >> 3 * (OctreeGrid::kLevels - level);
}
TL_D int level_of_path(std::uint64_t path) {
    return highest_bit(path) / 3;
}
/// Marks an unused entry; greater than the path of any cell.
constexpr std::uint64_t kNoPath = ~std::uint64_t(0);

/// Returns the index of the first of `n` numbers for which is_before() is false, by bisection.
template <class IsBefore>
TL_D std::uint32_t bisect(const std::uint64_t* from, std::uint32_t n, const IsBefore& is_before) {
    std::uint32_t first = 0;
    while (n > 0) {
        std::uint32_t half = n / 2;
        if (is_before(from[first + half])) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

struct BottomUpPass {
    OctreeView tree;
    std::uint32_t leaf_size;
    int max_level;
    View<std::uint32_t> level_counts;  ///< number of nodes of each level
    View<std::uint32_t> is_leaf;       ///< per point: 1 if a leaf begins there
    View<std::uint32_t> leaves;        ///< first point of each leaf
    View<std::uint32_t> n_leaves;
    View<std::uint64_t> cells;  ///< cells of the compressed tree, with duplicates

    struct Shared {
        LevelTile::Shared tile;
        std::uint32_t counts[OctreeGrid::kLevels + 1];
    };
    TL_D LevelTile tile_of(const Block<LevelTile::kThreads>& block, Shared& shared,
                           int last_level) const {
        LevelTile tile{{tree.keys},
                       tree.header[0].n_points,
                       leaf_size,
                       last_level,
                       block.index * LevelTile::kSize};
        tile.find_leaves(block, shared.tile);
        return tile;
    }
    [[nodiscard]] TL_D int last_level() const { return int(tree.header[0].last_level); }
    /// Returns the number of levels that point i shares with the previous one.
    [[nodiscard]] TL_D int common_before(std::uint32_t i) const {
        bool has_both = i > 0 && i < tree.header[0].n_points;
        return has_both ? common_levels(tree.keys[i - 1], tree.keys[i]) : -1;
    }
    /// Writes entry k of the cells: leaf k or, for k from `room` on, the smallest cell that
    /// contains leaf k - room and the next leaf.
    TL_D void write_cell(std::uint32_t k) const {
        auto room = static_cast<std::uint32_t>(leaves.size);
        std::uint32_t n = n_leaves[0], leaf = k < room ? k : k - room;
        std::uint64_t path = kNoPath;
        if (leaf + (k < room ? 0 : 1) < n) {
            std::uint32_t first = leaves[leaf];
            std::uint32_t end = leaf + 1 < n ? leaves[leaf + 1] : tree.header[0].n_points;
            int before = common_before(first), after = common_before(end);
            // A leaf's cell is the largest without the neighbouring points. A leaf of too many
            // points is on the last level.
            int level =
                end - first > leaf_size ? last_level() : 1 + (after > before ? after : before);
            path = path_of(tree.keys[first], k < room ? level : after);
        }
        cells[k] = path;
    }
};

struct LeafLevelPass : BottomUpPass {
    TL_D void operator()(const Block<LevelTile::kThreads>& block, Shared& shared) const {
        LevelTile tile = tile_of(block, shared, max_level);
        for (int level = int(block.rank); level <= OctreeGrid::kLevels; level += int(block.size))
            shared.counts[level] = 0;
        block.sync();
        for (std::uint32_t k = block.rank; k < LevelTile::kSize; k += block.size)
            for (std::uint32_t bits = tile.step(tile.first + k).beginning(); bits; bits &= bits - 1)
                block_add(&shared.counts[lowest_bit(bits)], 1);
        block.sync();
        for (int level = int(block.rank); level <= OctreeGrid::kLevels; level += int(block.size))
            if (shared.counts[level]) atomic_add(&level_counts[level], shared.counts[level]);
    }
};

struct LeafFlagPass : BottomUpPass {
    TL_D void operator()(const Block<LevelTile::kThreads>& block, Shared& shared) const {
        LevelTile tile = tile_of(block, shared, last_level());
        for (std::uint32_t k = block.rank; k < LevelTile::kSize; k += block.size)
            if (tile.first + k < is_leaf.size)
                is_leaf[tile.first + k] = tile.step(tile.first + k).beginning() ? 1 : 0;
    }
};

/// Expands the compressed tree to the whole octree.
struct ExpandPass {
    OctreeView tree;
    std::uint32_t leaf_size;
    View<const std::uint64_t> cells;  ///< cells of the compressed tree, ascending
    View<const std::uint32_t> n_cells;
    View<std::uint32_t> n_with_chain;    ///< per cell: 1 plus the number of omitted cells above it
    View<const std::uint32_t> n_before;  ///< exclusive prefix sums of n_with_chain
    View<std::uint64_t> paths;           ///< paths of all nodes

    struct Range {
        std::uint32_t first, end;
    };
    [[nodiscard]] TL_D Range points_of(std::uint64_t path) const {
        int level = level_of_path(path), shift = 3 * (OctreeGrid::kLevels - level);
        std::uint64_t cell = path ^ std::uint64_t(1) << 3 * level;
        std::uint32_t n = tree.header[0].n_points;
        return {bisect(tree.keys.data, n, [=](std::uint64_t key) { return key >> shift < cell; }),
                bisect(tree.keys.data, n, [=](std::uint64_t key) { return key >> shift <= cell; })};
    }
    [[nodiscard]] TL_D int common_before(std::uint32_t i) const {
        bool has_both = i > 0 && i < tree.header[0].n_points;
        return has_both ? common_levels(tree.keys[i - 1], tree.keys[i]) : -1;
    }
    /// Sets n_with_chain of cell k. Its parent in the compressed tree is the smallest cell that
    /// also contains a neighbouring point.
    TL_D void count(std::uint32_t k) const {
        n_with_chain[k] = 0;
        if (k >= n_cells[0]) return;
        Range range = points_of(cells[k]);
        int before = common_before(range.first), after = common_before(range.end);
        int parent = before > after ? before : after;
        n_with_chain[k] = static_cast<std::uint32_t>(level_of_path(cells[k]) - parent);
    }
    TL_D void write(std::uint32_t k) const {
        for (std::uint32_t i = 0; i < n_with_chain[k]; ++i)
            paths[n_before[k] + i] = cells[k] >> 3 * i;
    }
    /// Writes node k and its parent; the paths must be ascending.
    TL_D void link(std::uint32_t k) const {
        const OctreeHeader& header = tree.header[0];
        if (k >= header.n_nodes) return;
        std::uint64_t path = paths[k];
        Range range = points_of(path);
        OctreeNode node{range.first, 0, range.end, 0};
        auto n_up_to = [&](std::uint64_t last) {
            return bisect(paths.data, header.n_nodes, [=](std::uint64_t p) { return p <= last; });
        };
        if (node.count() > leaf_size && level_of_path(path) < int(header.last_level)) {
            node.first_child = n_up_to((path << 3) - 1);
            node.end_child = n_up_to(path << 3 | 7);
        }
        tree.nodes[k] = node;
        tree.parents[k] = k == 0 ? 0 : n_up_to(path >> 3) - 1;
    }
};

/// Returns the paths in ascending order, in one of two buffers. The sort's values are not used.
View<std::uint64_t> sort_paths(Scratch& scratch, View<std::uint64_t> paths,
                               View<std::uint64_t> spare) {
    Scratch::Scope scope(scratch);
    Pairs<std::uint64_t> pairs{paths, scratch.take<std::uint32_t>(paths.size)};
    return sort_pairs(scratch, pairs, {spare, scratch.take<std::uint32_t>(paths.size)}).keys;
}

/// Sets the header's levels, and finds the leaves and the cells of the compressed tree.
BottomUpPass find_cells(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree) {
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(tree.points.size);
    std::uint32_t n_tiles = n / LevelTile::kSize + 1;
    std::size_t room = tree.nodes.size < n ? tree.nodes.size : n;
    BottomUpPass pass{tree,
                      static_cast<std::uint32_t>(config.leaf_size),
                      config.max_level,
                      scratch.take<std::uint32_t>(OctreeGrid::kLevels + 1),
                      scratch.take<std::uint32_t>(n),
                      scratch.take<std::uint32_t>(room),
                      scratch.take<std::uint32_t>(1),
                      scratch.take<std::uint64_t>(2 * room)};
    fill(stream, pass.level_counts, 0u);
    launch_blocks<LevelTile::kThreads>(stream, "octree levels", n_tiles, LeafLevelPass{pass});
    parallel_for(
        stream, "octree header", 1, TL_LAMBDA(std::uint32_t) {
            set_levels(pass.tree, pass.max_level, [&](int level) {
                std::uint32_t sum = 0;
                for (int above = 0; above <= level; ++above) sum += pass.level_counts[above];
                return sum;
            });
        });
    launch_blocks<LevelTile::kThreads>(stream, "octree leaves", n_tiles, LeafFlagPass{pass});
    auto places = scratch.take<std::uint32_t>(n);
    iota(stream, places);
    compact<std::uint32_t>(scratch, places, pass.is_leaf, pass.leaves, pass.n_leaves);
    parallel_for(
        stream, "compressed octree", static_cast<std::uint32_t>(2 * room),
        TL_LAMBDA(std::uint32_t k) { pass.write_cell(k); });
    return pass;
}

void write_bottom_up(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    BottomUpPass leaves = find_cells(scratch, config, tree);
    auto n_all = static_cast<std::uint32_t>(leaves.cells.size);
    auto n_nodes = static_cast<std::uint32_t>(tree.nodes.size);
    auto take = [&](std::size_t n) { return scratch.take<std::uint32_t>(n); };
    View<const std::uint64_t> sorted =
        sort_paths(scratch, leaves.cells, scratch.take<std::uint64_t>(n_all));
    auto is_first = take(n_all), n_cells = take(1);
    parallel_for(
        stream, "cells once", n_all, TL_LAMBDA(std::uint32_t k) {
            is_first[k] = sorted[k] != kNoPath && (k == 0 || sorted[k] != sorted[k - 1]);
        });
    auto cells = scratch.take<std::uint64_t>(n_nodes);
    compact<std::uint64_t>(scratch, sorted, is_first, cells, n_cells);
    auto n_with_chain = take(n_nodes), n_before = take(n_nodes);
    ExpandPass pass{tree,
                    leaves.leaf_size,
                    cells,
                    n_cells,
                    n_with_chain,
                    n_before,
                    scratch.take<std::uint64_t>(n_nodes)};
    fill(stream, pass.paths, kNoPath);
    parallel_for(
        stream, "chains of cells", n_nodes, TL_LAMBDA(std::uint32_t k) { pass.count(k); });
    exclusive_scan<std::uint32_t>(scratch, n_with_chain, n_before);
    parallel_for(
        stream, "all cells", n_nodes, TL_LAMBDA(std::uint32_t k) { pass.write(k); });
    pass.paths = sort_paths(scratch, pass.paths, scratch.take<std::uint64_t>(n_nodes));
    parallel_for(
        stream, "octree nodes", n_nodes, TL_LAMBDA(std::uint32_t k) { pass.link(k); });
}

class BottomUpOctreeBuilder final : public OctreeBuilder {
  public:
    void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer) override {
        sort_points(scratch, points, config, tree, timer);
        {
            StageTimer::Scope stage(timer, "nodes");
            write_bottom_up(scratch, config, tree.view());
        }
        StageTimer::Scope stage(timer, "attributes");
        sum_attributes(scratch, tree.view());
    }
};

}  // namespace

std::unique_ptr<OctreeBuilder> make_bottom_up_octree_builder() {
    return std::make_unique<BottomUpOctreeBuilder>();
}

TL_DEVICE_END
