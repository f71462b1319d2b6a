// Top-down octree builder, after Goradia 2008, chapter 5 ("Parallel Memory Efficient Top-Down
// Adaptive Octree"). The points of a node are a cluster. Clusters are partitioned into up to eight
// octants until they are small. Points are never sorted as a whole.
//
// All clusters of a level are partitioned at once. They are divided into chunks, and each chunk
// counts its points in each octant. One scan over (cluster, octant, chunk) gives every chunk its
// output positions (the partition array of the report). Chunks then move their points, keeping
// their order. Clusters that have become leaves are sorted by key by insertion.
#include "accel/octree/node_attributes.h"
#include "accel/octree/octree_keys.h"
#include "accel/octree/sorted_points.h"
#include "core/device/block.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kClusterChunk = 1024;
constexpr int kClusterThreads = 256;
using ClusterBlock = Block<kClusterThreads>;

/// Clusters of a level that are to be partitioned, along the curve; unused entries have size 0.
struct Clusters {
    View<std::uint32_t> first, size;
    View<std::uint32_t> node;  ///< node in the tree; kNone if the tree has no such level

    static constexpr std::uint32_t kNone = ~0u;
    static Clusters take(Scratch& scratch, std::size_t most) {
        return {scratch.take<std::uint32_t>(most), scratch.take<std::uint32_t>(most),
                scratch.take<std::uint32_t>(most)};
    }
};

/// Number of points of a chunk in each octant, per group of points; find_places() replaces these by
/// output positions. A group is the 32 lanes of a warp, or on the CPU the chunk.
struct EighthCounts {
#if defined(__CUDACC__)
    static constexpr std::uint32_t kGroup = 32;
#else
    static constexpr std::uint32_t kGroup = kClusterChunk;
#endif
    std::uint32_t of_group[kClusterChunk / kGroup][8];
};

struct TopDownPass {
    OctreeView tree;
    std::uint32_t leaf_size;
    int max_level;
    int level;  ///< level of the clusters that are partitioned
    Pairs<std::uint64_t> points, spare;
    Clusters now, next;
    ChunkViews chunks;
    View<std::uint32_t> counts;                  ///< points by cluster, octant and chunk
    View<std::uint32_t> before;                  ///< exclusive prefix sums of `counts`
    View<std::uint32_t> n_children, n_clusters;  ///< per cluster: octants, and those to partition
    View<std::uint32_t> first_child, first_cluster;  ///< exclusive prefix sums of these

    using Shared = EighthCounts;

    [[nodiscard]] TL_D std::uint32_t eighth_of(std::uint32_t i) const {
        return points.keys[i] >> 3 * (OctreeGrid::kLevels - 1 - level) & 7;
    }
    /// Returns the index into `counts` for an octant of chunk c or, with `of_first`, of the first
    /// chunk of its cluster.
    [[nodiscard]] TL_D std::uint32_t entry_of(std::uint32_t c, std::uint32_t eighth,
                                              bool of_first = false) const {
        std::uint32_t cluster = chunks.owner[c];
        std::uint32_t local = (chunks.start[c] - now.first[cluster]) / kClusterChunk;
        std::uint32_t n_chunks = (now.size[cluster] + kClusterChunk - 1) / kClusterChunk;
        return 8 * (c - local) + eighth * n_chunks + (of_first ? 0 : local);
    }
};

struct CountEighthsPass : TopDownPass {
    TL_D void operator()(const ClusterBlock& block, Shared& shared) const {
        std::uint32_t* n = shared.of_group[0];
        for (std::uint32_t c = block.index; c < chunks.count[0]; c += block.n_blocks) {
            block.sync();
            for (std::uint32_t eighth = block.rank; eighth < 8; eighth += block.size) n[eighth] = 0;
            block.sync();
            for (std::uint32_t i = block.rank; i < chunks.size[c]; i += block.size)
                block_add(&n[eighth_of(chunks.start[c] + i)], 1);
            block.sync();
            for (std::uint32_t eighth = block.rank; eighth < 8; eighth += block.size)
                counts[entry_of(c, eighth)] = n[eighth];
        }
    }
};

struct MovePass : TopDownPass {
    TL_D void operator()(const ClusterBlock& block, Shared& shared) const {
        for (std::uint32_t c = block.index; c < chunks.count[0]; c += block.n_blocks) {
            block.sync();
            count_groups(block, c, shared);
            block.sync();
            for (std::uint32_t eighth = block.rank; eighth < 8; eighth += block.size)
                find_places(c, eighth, shared);
            block.sync();
            move(block, c, shared);
        }
    }
    /// Replaces the counts of groups by the output position of each group's first point.
    TL_D void find_places(std::uint32_t c, std::uint32_t eighth, Shared& shared) const {
        std::uint32_t place =
            now.first[chunks.owner[c]] + before[entry_of(c, eighth)] - before[entry_of(c, 0, true)];
        for (auto& group : shared.of_group) {
            std::uint32_t n = group[eighth];
            group[eighth] = place;
            place += n;
        }
    }
    TL_D void move_point(std::uint32_t from, std::uint32_t to) const {
        spare.keys[to] = points.keys[from];
        spare.values[to] = points.values[from];
    }
#if defined(__CUDACC__)
    __device__ static unsigned lanes_alike(bool is_point, std::uint32_t eighth) {
        return __match_any_sync(kWholeWarp, is_point ? eighth : 8);
    }
    __device__ void count_groups(const ClusterBlock& block, std::uint32_t c, Shared& shared) const {
        for (std::uint32_t i = block.rank; i < kClusterChunk / 32 * 8; i += block.size)
            shared.of_group[i / 8][i % 8] = 0;
        block.sync();
        for (std::uint32_t i = block.rank; i < kClusterChunk; i += block.size) {
            bool is_point = i < chunks.size[c];
            std::uint32_t eighth = is_point ? eighth_of(chunks.start[c] + i) : 0;
            unsigned alike = lanes_alike(is_point, eighth);
            if (is_point && lowest_bit(alike) == int(threadIdx.x % 32))
                shared.of_group[i / 32][eighth] = __popc(alike);
        }
    }
    __device__ void move(const ClusterBlock& block, std::uint32_t c, Shared& shared) const {
        for (std::uint32_t i = block.rank; i < kClusterChunk; i += block.size) {
            bool is_point = i < chunks.size[c];
            std::uint32_t eighth = is_point ? eighth_of(chunks.start[c] + i) : 0;
            unsigned alike = lanes_alike(is_point, eighth);
            std::uint32_t rank = __popc(alike & ((1u << threadIdx.x % 32) - 1));
            if (is_point) move_point(chunks.start[c] + i, shared.of_group[i / 32][eighth] + rank);
        }
    }
#else
    void count_groups(const ClusterBlock&, std::uint32_t c, Shared& shared) const {
        for (auto& n : shared.of_group[0]) n = 0;
        for (std::uint32_t i = 0; i < chunks.size[c]; ++i)
            ++shared.of_group[0][eighth_of(chunks.start[c] + i)];
    }
    void move(const ClusterBlock&, std::uint32_t c, Shared& shared) const {
        for (std::uint32_t i = 0; i < chunks.size[c]; ++i) {
            std::uint32_t from = chunks.start[c] + i;
            move_point(from, shared.of_group[0][eighth_of(from)]++);
        }
    }
#endif
};

/// Copies moved points back to the first buffer, so that points of leaves need not be moved again.
struct CopyBackPass : TopDownPass {
    using Shared = NoShared;

    TL_D void operator()(const ClusterBlock& block, Shared&) const {
        for (std::uint32_t c = block.index; c < chunks.count[0]; c += block.n_blocks)
            for (std::uint32_t i = block.rank; i < chunks.size[c]; i += block.size) {
                std::uint32_t at = chunks.start[c] + i;
                points.keys[at] = spare.keys[at];
                points.values[at] = spare.values[at];
            }
    }
};

struct PartsPass : TopDownPass {
    View<const std::uint32_t> first_chunk;  ///< first chunk of each cluster

    struct Part {
        std::uint32_t first, end;
        [[nodiscard]] TL_D std::uint32_t count() const { return end - first; }
    };
    [[nodiscard]] TL_D Part part(std::uint32_t cluster, std::uint32_t eighth) const {
        std::uint32_t n_chunks = (now.size[cluster] + kClusterChunk - 1) / kClusterChunk;
        std::uint32_t entry = 8 * first_chunk[cluster];
        std::uint32_t first = now.first[cluster];
        return {first + before[entry + eighth * n_chunks] - before[entry],
                eighth == 7 ? first + now.size[cluster]
                            : first + before[entry + (eighth + 1) * n_chunks] - before[entry]};
    }
    /// Whether a part is partitioned further. On the last level all keys of a part are equal.
    [[nodiscard]] TL_D bool is_cluster(const Part& part) const {
        return part.count() > leaf_size && level + 1 < OctreeGrid::kLevels;
    }
    TL_D void count(std::uint32_t cluster) const {
        std::uint32_t n = 0, n_large = 0;
        for (std::uint32_t eighth = 0; eighth < 8 && now.size[cluster]; ++eighth) {
            Part p = part(cluster, eighth);
            n += p.count() > 0;
            n_large += is_cluster(p);
        }
        n_children[cluster] = n;
        n_clusters[cluster] = n_large;
        next.size[cluster] = 0;
    }
    /// Adds the level below to the header if the capacity for nodes suffices.
    TL_D void count_level() const {
        OctreeHeader& header = tree.header[0];
        std::uint32_t last = static_cast<std::uint32_t>(now.size.size) - 1;
        std::uint32_t n = first_child[last] + n_children[last];
        bool is_level = level < max_level;
        if (is_level) header.n_wanted += n;
        bool has_room = is_level && header.n_wanted <= tree.nodes.size;
        if (has_room) header.n_nodes += n;
        if (has_room) header.last_level = static_cast<std::uint32_t>(level + 1);
        for (int below = level + 2; below <= OctreeGrid::kLevels + 1; ++below)
            header.level_begin[below] = header.n_nodes;
    }
    TL_D void write(std::uint32_t cluster) const {
        if (now.size[cluster] == 0) return;
        const OctreeHeader& header = tree.header[0];
        bool has_nodes = header.last_level > static_cast<std::uint32_t>(level);
        std::uint32_t node = header.level_begin[level + 1] + first_child[cluster];
        std::uint32_t parent = now.node[cluster], at = first_cluster[cluster];
        if (has_nodes) {
            tree.nodes[parent].first_child = node;
            tree.nodes[parent].end_child = node + n_children[cluster];
        }
        for (std::uint32_t eighth = 0; eighth < 8; ++eighth) {
            Part p = part(cluster, eighth);
            if (p.count() == 0) continue;
            if (has_nodes) {
                tree.nodes[node] = {p.first, 0, p.end, 0};
                tree.parents[node] = parent;
            }
            if (is_cluster(p)) {
                next.first[at] = p.first;
                next.size[at] = p.count();
                next.node[at] = has_nodes ? node : Clusters::kNone;
                ++at;
            }
            ++node;
        }
    }
    /// Sorts the points of small parts by their keys.
    TL_D void order(std::uint32_t cluster, std::uint32_t eighth) const {
        if (now.size[cluster] == 0) return;
        Part p = part(cluster, eighth);
        if (p.count() <= leaf_size) insert_in_order(p);
    }
    TL_D void insert_in_order(const Part& p) const {
        for (std::uint32_t i = p.first + 1; i < p.end; ++i) {
            std::uint64_t key = points.keys[i];
            std::uint32_t value = points.values[i], at = i;
            for (; at > p.first && points.keys[at - 1] > key; --at) {
                points.keys[at] = points.keys[at - 1];
                points.values[at] = points.values[at - 1];
            }
            points.keys[at] = key;
            points.values[at] = value;
        }
    }
    /// Writes the root, which is a cluster unless it is a leaf.
    TL_D void start(std::uint32_t cluster) const {
        OctreeHeader& header = tree.header[0];
        std::uint32_t n = header.n_points;
        now.size[cluster] = cluster == 0 && n > leaf_size ? n : 0;
        if (cluster > 0) return;
        now.first[0] = now.node[0] = 0;
        header.last_level = 0;
        header.n_nodes = header.n_wanted = n > 0;
        for (int below = 1; below <= OctreeGrid::kLevels + 1; ++below)
            header.level_begin[below] = header.n_nodes;
        if (n == 0) return;
        tree.nodes[0] = {0, 0, n, 0};
        tree.parents[0] = 0;
        if (n <= leaf_size) insert_in_order({0, n});
    }
};

/// Partitions the points: valid ones first, dropped ones behind them.
Pairs<std::uint64_t> put_aside(Scratch& scratch, Pairs<std::uint64_t> from,
                               View<std::uint64_t> to) {
    auto n = from.keys.size;
    auto flags = scratch.take<std::uint32_t>(n), count = scratch.take<std::uint32_t>(1);
    Pairs<std::uint64_t> kept{to, scratch.take<std::uint32_t>(n)};
    parallel_for(
        scratch.stream(), "points somewhere", static_cast<std::uint32_t>(n),
        TL_LAMBDA(std::uint32_t i) { flags[i] = from.keys[i] != kDroppedKey; });
    partition<std::uint32_t>(scratch, from.values, flags, kept.values, count);
    parallel_for(
        scratch.stream(), "their keys", static_cast<std::uint32_t>(n),
        TL_LAMBDA(std::uint32_t i) { kept.keys[i] = from.keys[kept.values[i]]; });
    return kept;
}

void part_clusters(Scratch& scratch, PartsPass pass) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto most = static_cast<std::uint32_t>(pass.now.size.size);
    auto first_chunk = scratch.take<std::uint32_t>(most);
    pass.first_chunk = first_chunk;
    parallel_for(
        stream, "chunks of clusters", most, TL_LAMBDA(std::uint32_t k) {
            first_chunk[k] = (pass.now.size[k] + kClusterChunk - 1) / kClusterChunk;
        });
    exclusive_scan<std::uint32_t>(scratch, first_chunk, first_chunk);
    create_chunks(scratch, pass.now.first, pass.now.size, kClusterChunk, pass.chunks);
    fill(stream, pass.counts, 0u);
    std::size_t n_blocks = pass.chunks.owner.size < 1056 ? pass.chunks.owner.size : 1056;
    auto walk = [&](const char* name, const auto& walker) {
        launch_blocks<kClusterThreads>(stream, name, static_cast<std::uint32_t>(n_blocks), walker);
    };
    walk("points of eighths", CountEighthsPass{pass});
    exclusive_scan<std::uint32_t>(scratch, pass.counts, pass.before);
    walk("move points", MovePass{pass});
    walk("move points back", CopyBackPass{pass});
    parallel_for(
        stream, "parts of clusters", most, TL_LAMBDA(std::uint32_t k) { pass.count(k); });
    exclusive_scan<std::uint32_t>(scratch, pass.n_children, pass.first_child);
    exclusive_scan<std::uint32_t>(scratch, pass.n_clusters, pass.first_cluster);
    parallel_for(
        stream, "octree level", 1, TL_LAMBDA(std::uint32_t) { pass.count_level(); });
    parallel_for(
        stream, "octree nodes", most, TL_LAMBDA(std::uint32_t k) { pass.write(k); });
    parallel_for(
        stream, "order in leaves", 8 * most,
        TL_LAMBDA(std::uint32_t k) { pass.order(k / 8, k % 8); });
}

/// Writes all nodes. Returns the order of the points, and their keys in one of the tree's buffers.
Pairs<std::uint64_t> write_top_down(Scratch& scratch, const OctreeConfig& config, Octree& tree,
                                    Pairs<std::uint64_t> keys) {
    auto& stream = scratch.stream();
    std::size_t n = keys.keys.size;
    std::size_t most = n / static_cast<std::size_t>(config.leaf_size + 1) + 1;
    std::size_t n_chunks = n / kClusterChunk + most + 1;
    auto take = [&](std::size_t count) { return scratch.take<std::uint32_t>(count); };
    PartsPass pass{};
    pass.tree = tree.view();
    pass.leaf_size = static_cast<std::uint32_t>(config.leaf_size);
    pass.max_level = config.max_level;
    pass.points = put_aside(scratch, keys, tree.key_buffers().spare);
    pass.spare = {keys.keys, take(n)};
    pass.now = Clusters::take(scratch, most);
    pass.next = Clusters::take(scratch, most);
    pass.chunks = {take(n_chunks), take(n_chunks), take(n_chunks), take(1)};
    pass.counts = take(8 * n_chunks);
    pass.before = take(8 * n_chunks);
    for (auto* of_clusters :
         {&pass.n_children, &pass.n_clusters, &pass.first_child, &pass.first_cluster})
        *of_clusters = take(most);
    parallel_for(
        stream, "octree root", static_cast<std::uint32_t>(most),
        TL_LAMBDA(std::uint32_t k) { pass.start(k); });
    for (pass.level = 0; pass.level < OctreeGrid::kLevels; ++pass.level) {
        part_clusters(scratch, pass);
        std::swap(pass.now, pass.next);
    }
    return pass.points;
}

class TopDownOctreeBuilder final : public OctreeBuilder {
  public:
    void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer) override {
        {
            Scratch::Scope scope(scratch);
            find_grid(scratch, points, config, tree, timer);
            auto keys = take_keys(scratch, points.size, tree);
            write_keys(scratch.stream(), points, {keys.keys, keys.values}, tree, timer);
            {
                StageTimer::Scope stage(timer, "nodes");
                keys = write_top_down(scratch, config, tree, keys);
                tree.use_keys(keys.keys);
            }
            gather_points(scratch.stream(), points, keys.values, tree, timer);
        }
        StageTimer::Scope stage(timer, "attributes");
        sum_attributes(scratch, tree.view());
    }
};

}  // namespace

std::unique_ptr<OctreeBuilder> make_top_down_octree_builder() {
    return std::make_unique<TopDownOctreeBuilder>();
}

TL_DEVICE_END
