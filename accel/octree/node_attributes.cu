// Eight threads together sum the points of a leaf, each every eighth of them; then the last child
// of a node to be complete sums all of them, one by each thread, and goes on to the parent, so that
// one launch climbs the whole tree (as Karras 2012 has boxes). Eight partial sums are added up in
// one order, by halves, whatever the order of work; so a tree's sums are the same bits in every
// run. They are also the same on both devices: the CPU adds eight sums in the same way, this file
// is compiled without fused multiplication and addition, and takes square roots and quotients
// alone, which round in one way.
//
// Second moments are about each node's centroid, and are moved to the parent's by the parallel axis
// theorem (Chan, Golub & LeVeque 1983), since sums of squares of coordinates would lose all digits
// far from the origin. The cone of normals is about the sum of area times normal; a child's cone is
// turned to the parent's axis (Sederberg & Meyers 1988), which may widen it, never the reverse.
#include "accel/octree/node_attributes.h"

#include "accel/octree/octree_keys.h"
#include "accel/parallel/atomics.h"
#include "accel/parallel/block.h"
#include "accel/parallel/team.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

/// The direction of a vector; zero for one that has nearly no length.
TL_D vec3 direction_of(vec3 v) {
    constexpr float kLeast = 1e-30f;  // above which the reciprocal is finite
    float most = largest(glm::abs(v));
    if (!(most > kLeast)) return vec3(0);
    v *= 1 / most;
    return v * (1 / glm::sqrt(glm::dot(v, v)));
}

/// The cosine of the cone about `axis` that holds a child's.
TL_D float cosine_about(vec3 axis, vec3 child_normal, float child_cosine) {
    float turn = minimum(glm::dot(axis, direction_of(child_normal)), 1.0f);
    if (turn + child_cosine <= 0) return -1;  // half a turn or more
    float turn_sine = glm::sqrt(maximum(1 - turn * turn, 0.0f));
    float child_sine = glm::sqrt(maximum(1 - child_cosine * child_cosine, 0.0f));
    return turn * child_cosine - turn_sine * child_sine;
}

TL_D void add_moments(float (&moments)[6], float area, vec3 d) {
    vec3 a = area * d;
    moments[0] += a.x * d.x;
    moments[1] += a.y * d.y;
    moments[2] += a.z * d.z;
    moments[3] += a.x * d.y;
    moments[4] += a.x * d.z;
    moments[5] += a.y * d.z;
}

TL_D bool has_axis(vec3 axis) {
    return axis.x != 0 || axis.y != 0 || axis.z != 0;
}

/// Threads that sum together.
constexpr std::uint32_t kLanes = 8;

/// What is summed first: then the centroid and the axis of the cone are known ...
struct FirstSums {
    float area = 0;
    vec3 shift{0};  ///< area times position from an origin near by
    vec3 normal{0};
    Box box;

    TL_D void add(const FirstSums& other) {
        area += other.area;
        shift += other.shift;
        normal += other.normal;
        box.extend(other.box);
    }
};
/// ... about which the others are.
struct SecondSums {
    float moments[6] = {};
    float cone_cosine = 1;

    TL_D void add(const SecondSums& other) {
        for (int k = 0; k < 6; ++k) moments[k] += other.moments[k];
        widen(other.cone_cosine);
    }
    /// Not by minimum(), which may take either of two zeros.
    TL_D void widen(float cosine) { cone_cosine = cosine < cone_cosine ? cosine : cone_cosine; }
};

#if defined(__CUDACC__)

/// Whether this thread is the one of its eight that writes.
__device__ bool is_first_lane() {
    return Team::rank() == 0;
}
/// What the threads have written is there for all eight.
__device__ void sync_lanes(const Team& team) {
    team.sync();
}
template <class Sums>
__device__ Sums sums_of_lane(const Team& team, const Sums& own, std::uint32_t offset) {
    constexpr int kWords = sizeof(Sums) / sizeof(std::uint32_t);
    std::uint32_t words[kWords];
    memcpy(words, &own, sizeof own);
    for (auto& word : words) word = team.from(word, int(Team::rank() ^ offset));
    Sums sums;
    memcpy(&sums, words, sizeof sums);
    return sums;
}
/// The sums of what work(lane) gives for the first n of eight lanes, of which each thread does its
/// own. Lanes from n on are left out, at each step also with those whose sums they have been given.
template <class Sums, class Work>
__device__ Sums sum_of_lanes(const Team& team, std::uint32_t n, const Work& work) {
    Sums sums = work(Team::rank());
    for (std::uint32_t offset = kLanes / 2; offset > 0; offset /= 2) {
        Sums other = sums_of_lane(team, sums, offset);
        if ((Team::rank() ^ offset) % (2 * offset) < n) sums.add(other);
    }
    return sums;
}

#else

bool is_first_lane() {
    return true;
}
void sync_lanes(const Team&) {}
template <class Sums, class Work>
Sums sum_of_lanes(const Team&, std::uint32_t n, const Work& work) {
    Sums sums[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes && lane < n; ++lane) sums[lane] = work(lane);
    for (std::uint32_t offset = kLanes / 2; offset > 0; offset /= 2)
        for (std::uint32_t lane = 0; lane < offset && lane + offset < n; ++lane)
            sums[lane].add(sums[lane + offset]);
    return sums[0];
}

#endif

TL_D OctreeAttributes joined(const FirstSums& first, vec3 centroid, const SecondSums& second) {
    OctreeAttributes sum;
    sum.centroid = first.area > 0 ? centroid : first.box.center();
    sum.area = first.area;
    sum.normal = first.normal;
    sum.cone_cosine = second.cone_cosine;
    sum.box = first.box;
    for (int k = 0; k < 6; ++k) sum.moments[k] = second.moments[k];
    return sum;
}

/// Called by the threads of a team, as all functions below.
TL_D OctreeAttributes sum_of_points(const Team& team, const Surfel* points, std::uint32_t n) {
    vec3 origin = points[0].position;
    auto first = sum_of_lanes<FirstSums>(team, n, [&](std::uint32_t lane) {
        FirstSums sums;
        for (std::uint32_t i = lane; i < n; i += kLanes) {
            Surfel point = load_whole(points[i]);
            sums.box.extend(point.position);
            sums.area += point.area;
            sums.shift += point.area * (point.position - origin);
            sums.normal += point.area * point.normal;
        }
        return sums;
    });
    vec3 centroid = origin + (first.area > 0 ? first.shift / first.area : vec3(0));
    vec3 axis = direction_of(first.normal);
    auto second = sum_of_lanes<SecondSums>(team, n, [&](std::uint32_t lane) {
        SecondSums sums;
        for (std::uint32_t i = lane; i < n; i += kLanes) {
            Surfel point = load_whole(points[i]);
            add_moments(sums.moments, point.area, point.position - centroid);
            bool has_cone = has_axis(axis) && has_axis(point.normal);
            sums.widen(has_cone ? glm::dot(axis, point.normal) : -1.0f);
        }
        return sums;
    });
    return joined(first, centroid, second);
}

/// The sum of up to eight nodes that other threads have written.
TL_D OctreeAttributes sum_of_nodes(const Team& team, const OctreeAttributes* parts,
                                   std::uint32_t n) {
#if defined(__CUDACC__)
    OctreeAttributes own = load_fresh(parts + (Team::rank() < n ? Team::rank() : 0));
    auto part = [&](std::uint32_t) -> const OctreeAttributes& { return own; };
    vec3 origin;
    for (int axis = 0; axis < 3; ++axis)
        origin[axis] = float_of_bits(team.from(bits_of_float(own.centroid[axis]), 0));
#else
    auto part = [&](std::uint32_t lane) -> const OctreeAttributes& { return parts[lane]; };
    vec3 origin = parts[0].centroid;
#endif
    auto first = sum_of_lanes<FirstSums>(team, n, [&](std::uint32_t lane) {
        FirstSums sums;
        if (lane >= n) return sums;
        sums.box = part(lane).box;
        sums.area = part(lane).area;
        sums.shift = part(lane).area * (part(lane).centroid - origin);
        sums.normal = part(lane).normal;
        return sums;
    });
    vec3 centroid = origin + (first.area > 0 ? first.shift / first.area : vec3(0));
    vec3 axis = direction_of(first.normal);
    auto second = sum_of_lanes<SecondSums>(team, n, [&](std::uint32_t lane) {
        SecondSums sums;
        if (lane >= n) return sums;
        add_moments(sums.moments, part(lane).area, part(lane).centroid - centroid);
        for (int k = 0; k < 6; ++k) sums.moments[k] += part(lane).moments[k];
        sums.widen(has_axis(axis) ? cosine_about(axis, part(lane).normal, part(lane).cone_cosine)
                                  : -1.0f);
        return sums;
    });
    return joined(first, centroid, second);
}

/// Leaves of the last level may have any number of points: those of more than a piece are summed
/// piece by piece, and the pieces eight by eight, by a block each.
struct LargeLeaves {
    static constexpr std::uint32_t kPiece = OctreeConfig::kMostLeafSize;

    View<std::uint32_t> leaves;
    View<OctreeAttributes> pieces;  ///< room for those of each leaf, and of sums of them
    View<std::uint32_t> counts;     ///< of leaves and of pieces

    TL_HD static std::uint32_t parts_of(std::uint32_t n, std::uint32_t size) {
        return (n + size - 1) / size;
    }
    /// Pieces and their sums of a leaf of `n` points, but the last sum.
    TL_HD static std::uint32_t room_for(std::uint32_t n) {
        std::uint32_t room = 0;
        for (n = parts_of(n, kPiece); n > 1; n = parts_of(n, kLanes)) room += n;
        return room;
    }
    /// Room for leaves of `n` points in total: each has two pieces or more, and the sums of m
    /// pieces are fewer than m / 7 + 10.
    static LargeLeaves take(Scratch& scratch, std::size_t n) {
        std::size_t n_leaves = n / (kPiece + 1), n_pieces = n / kPiece + n_leaves;
        return {scratch.take<std::uint32_t>(n_leaves + 1),
                scratch.take<OctreeAttributes>(n_pieces + n_pieces / 7 + 10 * n_leaves),
                scratch.take<std::uint32_t>(2)};
    }
};

/// The teams of a block: on the CPU one.
struct BlockTeams {
    std::uint32_t rank, count;

    template <int kThreads>
    TL_D static BlockTeams of(const Block<kThreads>& block) {
        return {block.rank / Team::kThreads, Block<kThreads>::size / Team::kThreads};
    }
};

struct ClimbPass {
    static constexpr int kThreads = 256;
    /// Sixteen blocks for each of 132 multiprocessors.
    static constexpr std::uint32_t kMostBlocks = 2112;
    static constexpr std::uint32_t kChunk = 256;  ///< nodes

    OctreeView tree;
    PointsToCome to_come;
    std::uint32_t leaf_size;
    View<std::uint32_t> arrived;  ///< how many children of each node are complete
    LargeLeaves large;

    using Shared = NoShared;

    TL_D void operator()(const Block<kThreads>& block, Shared&) const {
        BlockTeams teams = BlockTeams::of(block);
        std::uint32_t n = tree.header[0].n_nodes;
        for (std::uint32_t first = block.index * kChunk; first < n;
             first += block.n_blocks * kChunk) {
            std::uint32_t end = n - first < kChunk ? n : first + kChunk;
            for (std::uint32_t k = first + teams.rank; k < end; k += teams.count)
                climb_from_leaf(Team(), k);
        }
        // Points that are nowhere lie behind all leaves.
        auto n_points = static_cast<std::uint32_t>(to_come.order.size);
        for (std::uint32_t i = tree.header[0].n_points + block.index * block.size + block.rank;
             i < n_points; i += block.n_blocks * block.size)
            bring(i, i);
    }
    /// How many points ahead of their turn a CPU asks for those that lie anywhere in memory.
    static constexpr std::uint32_t kAhead = 32;
    TL_D void prefetch_point(std::uint32_t due) const {
#if !defined(__CUDACC__)
        if (due < to_come.order.size) __builtin_prefetch(&to_come.from[to_come.order[due]]);
#else
        (void)due;
#endif
    }
    /// Brings the point that is due at a place to another one of its leaf.
    TL_D void bring(std::uint32_t due, std::uint32_t to) const {
        std::uint32_t from = to_come.order[due];
        prefetch_point(due + kAhead);
        Surfel point = load_whole(to_come.from[from]);
        store_whole(tree.points[to], cleaned(point, to_come.have_indices ? point.index : from));
        if (!to_come.keys.empty()) tree.keys[to] = to_come.keys[due];
    }
    /// Brings the points of a leaf or a piece of one, in the order of keys if `reorder`.
    TL_D void bring_points(const Team& team, std::uint32_t first, std::uint32_t n,
                           bool reorder) const {
        if (to_come.order.empty()) return;
        for (std::uint32_t i = Team::rank(); i < n; i += Team::kThreads)
            bring(first + i, first + (reorder ? rank_of(first, n, i) : i));
        sync_lanes(team);
    }
    /// How many points of a leaf come before its i-th by all bits of their keys.
    TL_D std::uint32_t rank_of(std::uint32_t first, std::uint32_t n, std::uint32_t i) const {
        const std::uint64_t* keys = &to_come.keys[first];
        std::uint64_t key = keys[i];
        std::uint32_t rank = 0;
        // Of equal keys those come first that did; keys are less than 2^63.
        for (std::uint32_t j = 0; j < n; ++j)
            rank += static_cast<std::int64_t>(keys[j]) - (j < i ? 1 : 0) <
                    static_cast<std::int64_t>(key);
        return rank;
    }
    /// Sums leaf k and the nodes above that it completes; does nothing for other nodes.
    TL_D void climb_from_leaf(const Team& team, std::uint32_t k) const {
        OctreeNode node = load_whole(tree.nodes[k]);
        if (!node.is_leaf()) return;
        bool is_whole = node.count() <= leaf_size;
        if (!is_whole && !to_come.keys.empty() && is_first_lane()) tree.header[0].is_shallow = 1;
        if (node.count() > LargeLeaves::kPiece) {
            if (is_first_lane()) large.leaves[atomic_add(&large.counts[0], 1)] = k;
            return;
        }
        bring_points(team, node.first, node.count(), is_whole && !to_come.keys.empty());
        OctreeAttributes sum = sum_of_points(team, &tree.points[node.first], node.count());
        if (is_first_lane()) store_whole(tree.attributes[k], sum);
        climb_above(team, k);
    }
    TL_D void climb_above(const Team& team, std::uint32_t k) const {
        while (k > 0) {
            k = tree.parents[k];
            OctreeNode node = load_whole(tree.nodes[k]);
            std::uint32_t n_children = node.end_child - node.first_child;
            if (!is_last(team, k, n_children)) return;
            OctreeAttributes sum =
                sum_of_nodes(team, &tree.attributes[node.first_child], n_children);
            if (is_first_lane()) store_whole(tree.attributes[k], sum);
        }
    }
    /// Whether all children of node k are complete, of which the team has just written one.
    TL_D bool is_last(const Team& team, std::uint32_t k, std::uint32_t n_children) const {
#if defined(__CUDACC__)
        std::uint32_t n_before = is_first_lane() ? atomic_arrive(&arrived[k]) : 0;
        n_before = team.from(n_before, 0);
        team.sync();  // what the first thread has acquired is there for all
        return n_before + 1 == n_children;
#else
        (void)team;
        return n_children == 1 || atomic_arrive(&arrived[k]) + 1 == n_children;
#endif
    }
};

struct LargeLeafPass : ClimbPass {
    struct Shared {
        std::uint32_t first_piece;
    };

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        BlockTeams teams = BlockTeams::of(block);
        Team team;
        for (std::uint32_t l = block.index; l < large.counts[0]; l += block.n_blocks) {
            std::uint32_t k = large.leaves[l];
            OctreeNode node = tree.nodes[k];
            block.sync();
            if (block.rank == 0)
                shared.first_piece =
                    atomic_add(&large.counts[1], LargeLeaves::room_for(node.count()));
            block.sync();
            OctreeAttributes* pieces = &large.pieces[shared.first_piece];
            std::uint32_t n = LargeLeaves::parts_of(node.count(), LargeLeaves::kPiece);
            for (std::uint32_t i = teams.rank; i < n; i += teams.count) {
                OctreeAttributes sum = sum_of_piece(team, node, i);
                if (is_first_lane()) pieces[i] = sum;
            }
            while (n > 1) {
                block.sync();
                std::uint32_t n_sums = LargeLeaves::parts_of(n, kLanes);
                OctreeAttributes* sums = n_sums > 1 ? pieces + n : &tree.attributes[k];
                for (std::uint32_t i = teams.rank; i < n_sums; i += teams.count) {
                    std::uint32_t first = i * kLanes, rest = n - first;
                    OctreeAttributes sum =
                        sum_of_nodes(team, pieces + first, rest < kLanes ? rest : kLanes);
                    if (is_first_lane()) sums[i] = sum;
                }
                pieces = sums;
                n = n_sums;
            }
            block.sync();
            if (teams.rank == 0) climb_above(team, k);
        }
    }
    TL_D OctreeAttributes sum_of_piece(const Team& team, const OctreeNode& node,
                                       std::uint32_t i) const {
        std::uint32_t first = node.first + i * LargeLeaves::kPiece;
        std::uint32_t rest = node.end - first;
        std::uint32_t size = rest < LargeLeaves::kPiece ? rest : LargeLeaves::kPiece;
        bring_points(team, first, size, false);
        return sum_of_points(team, &tree.points[first], size);
    }
};

}  // namespace

void sum_attributes(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree,
                    const PointsToCome& to_come) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    ClimbPass climb{tree, to_come, static_cast<std::uint32_t>(config.leaf_size),
                    scratch.take<std::uint32_t>(tree.nodes.size),
                    LargeLeaves::take(scratch, tree.points.size)};
    auto zero = [&](View<std::uint32_t> view) {
        stream.device().fill_zero(stream, view.data, view.size * sizeof(std::uint32_t));
    };
    zero(climb.arrived);
    zero(climb.large.counts);
    auto n_blocks = static_cast<std::uint32_t>(tree.nodes.size / ClimbPass::kChunk + 1);
    launch_blocks<ClimbPass::kThreads>(
        stream, "octree attributes",
        n_blocks < ClimbPass::kMostBlocks ? n_blocks : ClimbPass::kMostBlocks, climb);
    launch_blocks<ClimbPass::kThreads>(stream, "large leaves", 132, LargeLeafPass{climb});
}

TL_DEVICE_END
