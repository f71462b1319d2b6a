// Octree nodes of all levels in one kernel, from sorted keys. At point i of the order begin its
// leaf and those of its ancestors that do not contain the previous point. These are the levels
// below the deepest one that both points share, down to the leaf's level, which leaf_levels.h
// finds.
//
// The nodes that begin on each level are counted tile by tile, and the counts are scanned. The rank
// of a point on a level then gives the number of each node that begins or ends there. It also gives
// the numbers of their parents and children, since the last node of a level that began contains the
// point. One kernel writes all nodes, without searching, sorting or waiting.
//
// Karras 2012 ("Maximizing parallelism in the construction of BVHs, octrees, and k-d trees") also
// builds all nodes at once, but from a binary tree whose nodes are searched for. Cornerstone
// (Keller et al. 2023) finds its leaves level by level.
#include "accel/octree/nodes_by_rank.h"

#include "accel/octree/leaf_levels.h"
#include "accel/octree/set_levels.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kTile = LevelTile::kSize;
constexpr int kCounted = OctreeGrid::kLevels + 1;
using TileBlock = Block<LevelTile::kThreads>;

/// Numbers of nodes that begin on each level, per group of points of a tile. count_levels() sets
/// the numbers in each group; WritePass replaces them by prefix sums. A group is the lanes of a
/// warp, which count by votes, or on the CPU the tile.
struct LevelCounts {
#if defined(__CUDACC__)
    static constexpr std::uint32_t kGroup = 32;
#else
    static constexpr std::uint32_t kGroup = kTile;
#endif
    std::uint32_t of_group[kTile / kGroup][kCounted + 1];
};

#if defined(__CUDACC__)

/// Counts the nodes that begin at the tile's points, per group and level. step_of(k) returns the
/// LevelStep of point k of the tile. Called by all threads of the block.
template <class StepOf>
__device__ void count_levels(const TileBlock& block, const StepOf& step_of, LevelCounts& counts) {
    std::uint32_t lane = block.rank % 32;
    for (std::uint32_t k = block.rank; k < kTile; k += block.size) {
        std::uint32_t bits = step_of(k).beginning(), own = 0;
        std::uint32_t all = warp_or(bits);
        for (; all; all &= all - 1) {
            int level = lowest_bit(all);
            unsigned vote = __ballot_sync(kWholeWarp, bits >> level & 1);
            if (lane == static_cast<std::uint32_t>(level)) own = __popc(vote);
        }
        if (lane <= kCounted) counts.of_group[k / 32][lane] = own;
    }
    block.sync();
}

/// Ranks of nodes, level after level, computed by the lanes of a warp together.
class LevelRanks {
  public:
    __device__ LevelRanks(const LevelCounts& counts, std::uint32_t k, const LevelStep& step)
        : before_(counts.of_group[k / 32]) {
        bool is_step = step.is_step();
        int deepest = step.leaf > step.previous ? step.leaf : step.previous;
        first_ = is_step && step.common > 0 ? step.common : 0;
        first_ = is_step ? first_ : kCounted;
        first_ = static_cast<int>(warp_minimum(static_cast<std::uint32_t>(first_)));
        end_ =
            static_cast<int>(warp_maximum(static_cast<std::uint32_t>(is_step ? deepest + 2 : 0)));
    }
    [[nodiscard]] __device__ int first_level() const { return first_; }
    [[nodiscard]] __device__ int end_level() const { return end_; }
    /// Returns the number of nodes of the level that begin before the point.
    __device__ std::uint32_t next(int level, bool begins) {
        unsigned vote = __ballot_sync(kWholeWarp, begins);
        return before_[level] + __popc(vote & ((1u << threadIdx.x % 32) - 1));
    }

  private:
    const std::uint32_t* before_;
    int first_, end_;
};

#else

template <class StepOf>
void count_levels(const TileBlock&, const StepOf& step_of, LevelCounts& counts) {
    std::uint32_t(&own)[kCounted + 1] = counts.of_group[0];
    for (auto& n : own) n = 0;
    for (std::uint32_t k = 0; k < kTile; ++k)
        for (std::uint32_t bits = step_of(k).beginning(); bits; bits &= bits - 1)
            ++own[lowest_bit(bits)];
}

class LevelRanks {
  public:
    LevelRanks(LevelCounts& counts, std::uint32_t, const LevelStep& step)
        : before_(counts.of_group[0]),
          first_(std::max(step.common, 0)),
          end_(step.is_step() ? std::max(step.leaf, step.previous) + 2 : 0) {}
    [[nodiscard]] int first_level() const { return first_; }
    [[nodiscard]] int end_level() const { return end_; }
    std::uint32_t next(int level, bool begins) {
        std::uint32_t before = before_[level];
        before_[level] += begins ? 1 : 0;
        return before;
    }

  private:
    std::uint32_t* before_;  ///< running counts of the levels
    int first_, end_;
};

#endif

struct NodesPass {
    OctreeView tree;
    LevelKeys keys;
    std::uint32_t leaf_size;
    int max_level, max_key_level;
    std::uint32_t n_tiles;
    View<std::uint32_t> counts;  ///< nodes per level and tile; later their exclusive prefix sums
    View<std::uint16_t> steps;   ///< packed LevelStep of each point
};

/// Finds the LevelStep of each point, and counts the nodes per level and tile.
struct CountPass : NodesPass {
    struct Shared {
        LevelTile::Shared tile;
        LevelCounts counts;
    };

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        LevelTile tile{keys, tree.header[0].n_points, leaf_size, max_key_level,
                       block.index * kTile};
        tile.find_leaves(block, shared.tile);
        auto step_of = [&](std::uint32_t k) {
            LevelStep step = tile.step(tile.first + k);
            steps[tile.first + k] = step.packed();
            return step;
        };
        count_levels(block, step_of, shared.counts);
        for (std::uint32_t level = block.rank; level < kCounted; level += block.size) {
            std::uint32_t n = 0;
            for (auto& group : shared.counts.of_group) n += group[level];
            counts[level * n_tiles + block.index] = n;
        }
        if (block.index == 0 && block.rank == 0) counts[kCounted * n_tiles] = 0;
    }
};

/// Writes all nodes, after the counts are scanned.
struct WritePass : NodesPass {
    struct Shared {
        LevelCounts counts;
    };

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        std::uint32_t first = block.index * kTile;
        if (first > tree.header[0].n_points) return;
        auto last_level = static_cast<int>(tree.header[0].last_level);
        auto step_of = [&](std::uint32_t k) {
            return LevelStep::from(steps[first + k]).above(last_level);
        };
        count_levels(block, step_of, shared.counts);
        for (std::uint32_t level = block.rank; level <= kCounted; level += block.size) {
            std::uint32_t sum = level < kCounted ? counts[level * n_tiles + block.index] : 0;
            for (auto& group : shared.counts.of_group) {
                std::uint32_t n = group[level];
                group[level] = sum;
                sum += n;
            }
        }
        block.sync();
        for (std::uint32_t k = block.rank; k < kTile; k += block.size) {
            LevelStep step = step_of(k);
            LevelRanks ranks(shared.counts, k, step);
            write_nodes(first + k, step, ranks);
        }
    }
    /// Writes the begin fields of nodes that begin at point i, and the end fields of nodes that end
    /// there. Fields of a level are written one level further down, where the number of the first
    /// child is known.
    TL_D void write_nodes(std::uint32_t i, const LevelStep& step, LevelRanks& ranks) const {
        std::uint32_t above = 0;  // rank on the level above
        for (int level = ranks.first_level(); level < ranks.end_level(); ++level) {
            std::uint32_t here = ranks.next(level, step.begins(level));
            bool begins_above = step.begins(level - 1);
            if (begins_above) {
                tree.nodes[above].first = i;
                tree.nodes[above].first_child = level <= step.leaf ? here : 0;
            }
            if (step.ends(level - 1)) {
                tree.nodes[above - 1].end = i;
                tree.nodes[above - 1].end_child = level <= step.previous ? here : 0;
            }
            if (step.begins(level))
                tree.parents[here] = level == 0 ? 0 : begins_above ? above : above - 1;
            above = here;
        }
    }
};

}  // namespace

View<std::uint16_t> take_steps(Scratch& scratch, std::size_t n_points) {
    return scratch.take<std::uint16_t>((n_points / kTile + 1) * kTile);
}

void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree) {
    Scratch::Scope scope(scratch);
    write_nodes_by_rank(scratch, config, tree,
                        {{tree.keys}, OctreeGrid::kLevels, take_steps(scratch, tree.points.size)});
}

void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree,
                         const RoughOrder& order) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    NodesPass pass;
    pass.tree = tree;
    pass.keys = order.keys;
    pass.steps = order.steps;
    pass.leaf_size = static_cast<std::uint32_t>(config.leaf_size);
    pass.max_level = config.max_level;
    pass.max_key_level = config.max_level < order.n_levels ? config.max_level : order.n_levels;
    auto n = static_cast<std::uint32_t>(tree.points.size);
    pass.n_tiles = n / kTile + 1;  // includes the end of the order
    pass.counts = scratch.take<std::uint32_t>(kCounted * pass.n_tiles + 1);
    launch_blocks<LevelTile::kThreads>(stream, "octree levels", pass.n_tiles, CountPass{pass});
    exclusive_scan<std::uint32_t>(scratch, pass.counts, pass.counts);
    parallel_for(
        stream, "octree header", 1, TL_LAMBDA(std::uint32_t) {
            set_levels(pass.tree, pass.max_level,
                       [&](int level) { return pass.counts[(level + 1) * pass.n_tiles]; });
        });
    launch_blocks<LevelTile::kThreads>(stream, "octree nodes", pass.n_tiles, WritePass{pass});
}

TL_DEVICE_END
