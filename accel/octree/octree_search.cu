// Nearest-neighbour search of an octree. On a GPU, few neighbours of many query points are searched
// by packets (nearest_packets.h). Otherwise a team of eight threads tests the boxes of all children
// of a node at once, one child per thread. It visits the nearest child first, and the others by
// distance while they are near enough. The stack holds a mask of eight deferred children per level.
#include "accel/octree/octree_search.h"

#include "accel/octree/nearest_packets.h"
#include "accel/octree/octree_keys.h"
#include "accel/points/nearest_kernels.h"

TL_DEVICE_BEGIN

namespace {

/// Children of a node that are still to be visited.
struct OpenChildren {
    std::uint32_t first;
    std::uint32_t left;  ///< one bit per child that is still to be visited
#if defined(__CUDACC__)
    float square;  ///< squared distance to the thread's own child

    __device__ void open(const OctreeView& tree, const OctreeNode& node, vec3 p) {
        std::uint32_t n = node.end_child - node.first_child;
        first = node.first_child;
        left = (1u << n) - 1;
        square = kInfinity;
        if (Team::rank() < n) square = square_to_box(p, tree.attributes[first + Team::rank()].box);
    }
    /// Takes the nearest child whose squared distance is below `worst`; returns false if there is
    /// none.
    __device__ bool take(const Team& team, float worst, std::uint32_t& node) {
        bool is_open = (left >> Team::rank() & 1) && square < worst;
        std::uint32_t least = team.minimum_of(is_open ? bits_of_float(square) : ~0u);
        if (least == ~0u) return false;
        int child = lowest_bit(team.ballot(is_open && bits_of_float(square) == least));
        left &= ~(1u << child);
        node = first + static_cast<std::uint32_t>(child);
        return true;
    }
#else
    float squares[8];

    void open(const OctreeView& tree, const OctreeNode& node, vec3 p) {
        std::uint32_t n = node.end_child - node.first_child;
        first = node.first_child;
        left = (1u << n) - 1;
        for (std::uint32_t i = 0; i < n; ++i)
            squares[i] = square_to_box(p, tree.attributes[first + i].box);
    }
    bool take(const Team&, float worst, std::uint32_t& node) {
        float least = worst;
        int child = -1;
        for (std::uint32_t bits = left; bits; bits &= bits - 1) {
            int i = lowest_bit(bits);
            if (!(squares[i] < least)) continue;
            least = squares[i];
            child = i;
        }
        if (child < 0) return false;
        left &= ~(1u << child);
        node = first + static_cast<std::uint32_t>(child);
        return true;
    }
#endif
};

}  // namespace

/// Visits leaves near `p`, like for_each_leaf_near() of a point tree.
template <class Worst, class Leaf>
TL_D void for_each_leaf_near(const OctreeView& tree, vec3 p, Worst&& worst, Leaf&& leaf) {
    if (tree.header[0].n_nodes == 0) return;
    Team team;
    OpenChildren open[OctreeGrid::kLevels + 1];
    int n_open = 0;
    std::uint32_t at = 0;
    while (true) {
        OctreeNode node = load_vectorized(tree.nodes[at]);
        if (node.is_leaf())
            leaf(node.first, node.count());
        else
            open[n_open++].open(tree, node, p);
        while (n_open > 0 && !open[n_open - 1].take(team, worst(), at)) --n_open;
        if (n_open == 0) return;
    }
}

namespace {

/// Returns the position of the tree's first point whose key is at least `key`.
TL_D std::uint32_t place_of_key(const OctreeView& tree, std::uint64_t key) {
    std::uint32_t first = 0, n = tree.header[0].n_points;
    while (n > 0) {
        std::uint32_t half = n / 2;
        bool is_before = tree.keys[first + half] < key;
        first = is_before ? first + half + 1 : first;
        n = is_before ? n - half - 1 : half;
    }
    return first;
}

}  // namespace

/// Search by windows of the curve; the kernels of nearest_kernels.h call it.
template <int kMost>
TL_D void find_nearest_points(const Team& team, const CurveWindows& windows, vec3 p,
                              NearestList<kMost>& list) {
    // Half the window's width. The whole window fills a list's storage once.
    constexpr std::uint32_t kReach = (kMost + 40) / 2;
    const OctreeView& tree = windows.tree;
    std::uint32_t n = tree.header[0].n_points, first = 0, end = 0;
    auto offer = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t i = from; i < to; i += Team::kThreads) {
            std::uint32_t own = i + Team::rank(), index = 0;
            float square = kInfinity;
            if (own < to) {
                square = square_distance(p, tree.points[own].position);
                index = tree.points[own].index;
            }
            list.offer(team, square, index);
        }
    };
    if (n > 0 && is_somewhere(p)) {
        std::uint32_t middle = place_of_key(tree, key_of(tree.header[0].grid, p));
        first = middle > kReach ? middle - kReach : 0;
        end = n - middle > kReach ? middle + kReach : n;
        offer(first, end);
        list.finish(team);
    }
    for_each_leaf_near(
        tree, p, [&] { return list.worst(); },
        [&](std::uint32_t from, std::uint32_t count) {
            std::uint32_t to = from + count;
            offer(from, to < first ? to : from < first ? first : from);
            offer(from > end ? from : to > end ? end : to, to);
        });
    list.finish(team);
}

void find_nearest(Stream& stream, const CurveWindows& windows, View<const vec3> places, int k,
                  float radius, const NearestPoints& out) {
    find_nearest_in(stream, windows, places, k, radius, out);
}

void find_nearest(Stream& stream, const OctreeView& tree, View<const vec3> places, int k,
                  float radius, const NearestPoints& out) {
#if defined(__CUDACC__)
    if (k <= 8) return find_in_packets<8>(stream, tree, places, k, radius, out);
    if (k <= 16) return find_in_packets<16>(stream, tree, places, k, radius, out);
#endif
    find_nearest_in(stream, tree, places, k, radius, out);
}

void count_within(Stream& stream, const OctreeView& tree, View<const vec3> places, float radius,
                  View<std::uint32_t> counts) {
    count_within_in(stream, tree, places, radius, counts);
}

TL_DEVICE_END
