#include "renderer/photon/thesis/seeds.h"

#include <bit>

#include "core/device/parallel_for.h"
#include "core/device/team.h"
#include "core/device/vectorized_copy.h"
#include "core/operators/operators.h"
#include "renderer/photon/thesis/photon_search.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kMeansRounds = 2;

/// Mean and spread of a node's points.
struct alignas(16) PointGroup {
    vec3 place;     ///< mean position
    float n;        ///< number of points
    vec3 normal;    ///< mean, not of unit length
    float squares;  ///< sum of squared distances to the mean position, m^2

    [[nodiscard]] TL_HD PointGroup with(const PointGroup& other) const {
        if (!(n > 0)) return other;
        if (!(other.n > 0)) return *this;
        float sum = n + other.n, share = other.n / sum;
        vec3 apart = other.place - place;
        return {place + share * apart, sum, glm::mix(normal, other.normal, share),
                squares + other.squares + n * share * glm::dot(apart, apart)};
    }
    [[nodiscard]] TL_HD static PointGroup of(const ShadingPoint& point) {
        if (!point.exists) return {vec3(0), 0, vec3(0), 0};
        return {point.position, 1, point.shading_normal(), 0};
    }
    /// Sum over the points of their distance to the mean: Zeidan's equation 6.1, with root mean
    /// squares. `per_length` makes positions and normals comparable.
    [[nodiscard]] TL_HD float variation(float per_length) const {
        constexpr float kLeast = 1e-4f;  // where all points coincide, seeds are spread evenly
        if (!(n > 0)) return 0;
        float spread = per_length * sqrtf(squares / n);
        return n * (kLeast + spread + sqrtf(maximum(2 - 2 * glm::length(normal), 0.0f)));
    }
};

/// Quadtree over the slots of a grid. Node j of level l, of m in all, has the slots from j 4^(m-l).
struct PointQuadtree {
    int n_levels;  ///< nodes of the last level have up to sixteen slots
    int log_side;
    View<PointGroup> nodes;

    [[nodiscard]] TL_HD static std::uint32_t first_of(int level) {
        return ((1u << (2 * level)) - 1) / 3;
    }
    [[nodiscard]] TL_HD const PointGroup& node(int level, std::uint32_t j) const {
        return nodes[first_of(level) + j];
    }
    [[nodiscard]] TL_HD std::uint32_t slots_per_leaf() const {
        return 1u << (2 * (log_side - n_levels + 1));
    }
    /// Scale that makes the root's positions vary about as much as opposite normals do.
    [[nodiscard]] TL_HD float per_length() const {
        const PointGroup& root = nodes[0];
        return root.squares > 0 ? 2 / sqrtf(root.squares / root.n) : 0.0f;
    }
};

PointQuadtree build_quadtree(Scratch& scratch, const ShadingGrid& grid,
                             View<const ShadingPoint> points) {
    auto& stream = scratch.stream();
    PointQuadtree tree{std::max(grid.log_side - 1, 1), grid.log_side, {}};
    tree.nodes = scratch.take<PointGroup>(PointQuadtree::first_of(tree.n_levels));
    PointQuadtree given = tree;
    int last = tree.n_levels - 1;
    parallel_for(
        stream, "leaves of points", 1u << (2 * last), TL_LAMBDA(std::uint32_t j) {
            std::uint32_t n = given.slots_per_leaf();
            PointGroup group = PointGroup::of(points[j * n]);
            for (std::uint32_t k = 1; k < n; ++k)
                group = group.with(PointGroup::of(points[j * n + k]));
            store_vectorized(given.nodes[PointQuadtree::first_of(last) + j], group);
        });
    for (int level = last - 1; level >= 0; --level)
        parallel_for(
            stream, "nodes of points", 1u << (2 * level), TL_LAMBDA(std::uint32_t j) {
                PointGroup group = given.node(level + 1, 4 * j);
                for (std::uint32_t k = 1; k < 4; ++k)
                    group = group.with(given.node(level + 1, 4 * j + k));
                store_vectorized(given.nodes[PointQuadtree::first_of(level) + j], group);
            });
    return tree;
}

/// Point at `t` in [0, 1) of all points, with a density proportional to their variation.
TL_D std::uint32_t point_at(const PointQuadtree& tree, View<const ShadingPoint> points, float t) {
    constexpr float kBelowOne = 1 - 0x1p-24f;
    if (!(tree.nodes[0].n > 0)) return ~0u;
    float per_length = tree.per_length();
    std::uint32_t j = 0;
    for (int level = 1; level < tree.n_levels; ++level) {
        float up_to[4], sum = 0;
        for (std::uint32_t k = 0; k < 4; ++k)
            up_to[k] = sum += tree.node(level, 4 * j + k).variation(per_length);
        float at = t * sum;
        std::uint32_t k = 0;
        while (k < 3 && !(at < up_to[k])) ++k;
        // Rounding must not lead to a node without points.
        while (!(tree.node(level, 4 * j + k).n > 0)) k = k > 0 ? k - 1 : 3;
        float before = k > 0 ? up_to[k - 1] : 0.0f;
        t = minimum(maximum((at - before) / (up_to[k] - before), 0.0f), kBelowOne);
        j = 4 * j + k;
    }
    std::uint32_t slot = j * tree.slots_per_leaf();
    const PointGroup& leaf = tree.node(tree.n_levels - 1, j);
    auto rest = static_cast<std::uint32_t>(t * leaf.n);
    while (true) {
        if (points[slot].exists && rest-- == 0) return slot;
        ++slot;
    }
}

/// One iteration of k-means.
struct MoveSeeds {
    PointQuadtree tree;
    View<const ShadingPoint> points;
    View<const std::uint32_t> first_seeds;  ///< sorted by their points
    View<std::uint32_t> seeds;

    /// Distance of a point from a position with a normal: Zeidan's equation 6.1.
    [[nodiscard]] TL_D static float distance(const ShadingPoint& point, vec3 place, vec3 normal,
                                             float per_length) {
        float cosine = glm::dot(point.shading_normal(), normal);
        return per_length * glm::length(point.position - place) +
               sqrtf(maximum(2 - 2 * cosine, 0.0f));
    }
    /// Nearest seed of a point; the number of seeds where the point does not exist.
    [[nodiscard]] TL_D std::uint32_t owner(std::uint32_t slot) const {
        constexpr int kAround = 10;
        auto n = static_cast<int>(seeds.size);
        if (!points[slot].exists) return static_cast<std::uint32_t>(n);
        ShadingPoint point = load_vectorized(points[slot]);
        int first = 0, last = n;
        while (first < last) {
            int middle = (first + last) / 2;
            if (first_seeds[static_cast<std::size_t>(middle)] < slot)
                first = middle + 1;
            else
                last = middle;
        }
        float per_length = tree.per_length(), least = kInfinity;
        int nearest = 0;
        int end = first + kAround < n ? first + kAround : n;
        for (int k = first > kAround ? first - kAround : 0; k < end; ++k) {
            ShadingPoint seed = load_vectorized(points[seeds[static_cast<std::size_t>(k)]]);
            float far = distance(point, seed.position, seed.shading_normal(), per_length);
            if (far < least) {
                least = far;
                nearest = k;
            }
        }
        return static_cast<std::uint32_t>(nearest);
    }
    /// Moves a seed to the point that is closest to the mean of its points, sorted[first .. end).
    TL_D void move(const Team& team, std::uint32_t k, View<const std::uint32_t> sorted,
                   std::uint32_t first, std::uint32_t end) const {
        if (first == end) return;
        vec3 place_sum(0), normal_sum(0);
        for (std::uint32_t i = first + Team::rank(); i < end; i += Team::kThreads) {
            ShadingPoint point = load_vectorized(points[sorted[i]]);
            place_sum += point.position;
            normal_sum += point.shading_normal();
        }
        vec3 place = team.sum(place_sum) / static_cast<float>(end - first);
        vec3 normal = team.sum(normal_sum);
        float length = glm::length(normal);
        if (length > 0) normal /= length;
        float per_length = tree.per_length(), least = kInfinity;
        std::uint32_t nearest = first;
        for (std::uint32_t i = first + Team::rank(); i < end; i += Team::kThreads) {
            float far = distance(load_vectorized(points[sorted[i]]), place, normal, per_length);
            if (!(far < least)) continue;
            least = far;
            nearest = i;
        }
        bool is_least = least == team_minimum(team, least);
        nearest = team_least(team, is_least ? nearest : ~0u);
        if (Team::rank() == 0) seeds[k] = sorted[nearest];
    }
};

void move_seeds(Scratch& scratch, const MoveSeeds& move) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(move.points.size);
    auto n_seeds = static_cast<std::uint32_t>(move.seeds.size);
    Pairs<std::uint32_t> pairs{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    auto start = scratch.take<std::uint32_t>(n_seeds + 1);
    auto end = scratch.take<std::uint32_t>(n_seeds + 1);
    parallel_for(
        stream, "seeds of points", n, TL_LAMBDA(std::uint32_t slot) {
            pairs.keys[slot] = move.owner(slot);
            pairs.values[slot] = slot;
        });
    Pairs<std::uint32_t> sorted = sort_pairs(scratch, pairs, spare, 0, std::bit_width(n_seeds));
    find_sorted_bounds(stream, sorted.keys, start, end);
    for_each_team(
        stream, "move seeds", n_seeds, TL_LAMBDA(const Team& team, std::uint32_t k) {
            move.move(team, k, sorted.values, start[k], end[k]);
        });
}

}  // namespace

void choose_seeds(Scratch& scratch, const ShadingGrid& grid, View<const ShadingPoint> points,
                  std::uint32_t random_seed, View<std::uint32_t> seeds) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    PointQuadtree tree = build_quadtree(scratch, grid, points);
    auto n_seeds = static_cast<std::uint32_t>(seeds.size);
    auto first_seeds = scratch.take<std::uint32_t>(n_seeds);
    parallel_for(
        stream, "first seeds", n_seeds, TL_LAMBDA(std::uint32_t k) {
            float within = to_unit_float(hash_bits(k * 0x9e3779b9u ^ hash_bits(random_seed)));
            float t = (static_cast<float>(k) + within) / static_cast<float>(n_seeds);
            seeds[k] = first_seeds[k] = point_at(tree, points, t);
        });
    for (int round = 0; round < kMeansRounds; ++round)
        move_seeds(scratch, {tree, points, first_seeds, seeds});
}

TL_DEVICE_END
