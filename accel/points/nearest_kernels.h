// Kernels for k-nearest-neighbour and radius-count queries in any tree over points.
#pragma once

#include "accel/points/find_nearest.h"
#include "accel/points/point_search.h"
#include "core/device/block.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// Threads of a block of the search kernels.
inline constexpr int kNearestThreads = 128;
/// Number of teams that keeps the device busy.
inline constexpr std::size_t kFewestTeams = 1u << 16;
#else
inline constexpr int kNearestThreads = 1;
inline constexpr std::size_t kFewestTeams = 1u << 12;
#endif

/// Whether a tree's searches are approximate: they may miss nearer points than those found.
template <class Tree>
inline constexpr bool kMissesPoints = requires {
    Tree::kMayMiss;
};

/// Kernel in which each team searches for a run of query points, one after another. If neighbours
/// are consecutive in the input, a search has a bound from the start. By the triangle inequality,
/// the k points nearest to one query point are near the next one, too.
template <int kMost, class Tree>
struct FindNearest {
    using List = NearestList<kMost>;
    struct Shared {
        typename List::Storage of_team[kNearestThreads / Team::kThreads];
    };
    Tree tree;
    View<const vec3> places;
    std::uint32_t run;
    int k;
    float most;  ///< square of the search radius
    NearestPoints out;

    TL_D void operator()(const Block<kNearestThreads>& block, Shared& shared) const {
        std::uint32_t number = block.rank / Team::kThreads;
        std::size_t team = std::size_t(block.index) * (kNearestThreads / Team::kThreads) + number;
        find_run(shared.of_team[number], team * run, run);
    }
    /// Searches for up to `n` query points from `first` on.
    TL_D void find_run(typename List::Storage& storage, std::size_t first, std::size_t n) const {
        float bound = most;
        std::size_t end = first + n < places.size ? first + n : places.size;
        for (std::size_t q = first; q < end; ++q) {
            float worst = find(storage, q, bound);
            if (q + 1 < end) bound = bound_after(worst, places[q], places[q + 1]);
        }
    }
    /// Searches for query point q. Returns the squared distance of the k-th point, or `bound` if
    /// there are fewer.
    TL_D float find(typename List::Storage& storage, std::size_t q, float bound) const {
        Team team;
        List list(storage, k, bound);
        find_nearest_points(team, tree, places[q], list);
        std::size_t first = q * static_cast<std::size_t>(k);
        list.for_each([&](int i, float square, std::uint32_t index) {
            std::size_t at = first + static_cast<std::size_t>(i);
            if (!out.indices.empty()) out.indices[at] = index;
            if (!out.squares.empty()) out.squares[at] = square;
        });
        if (!out.farthest.empty() && Team::rank() == 0) out.farthest[q] = list.worst();
#if defined(__CUDACC__)
        team.sync();  // the next list takes the same memory
#endif
        return list.worst();
    }
    [[nodiscard]] TL_D float bound_after(float worst, vec3 place, vec3 next) const {
        constexpr float kRounding = 1e-4f;
        if (!(worst < most) || kMissesPoints<Tree>) return most;
        float farthest = sqrtf(worst) + sqrtf(square_distance(place, next));
        return minimum(farthest * farthest * (1 + kRounding) + 0x1p-126f, most);
    }
};

template <int kMost, class Tree>
void find_up_to(Stream& stream, const Tree& tree, View<const vec3> places, int k, float radius,
                const NearestPoints& out) {
    constexpr std::size_t kTeams = kNearestThreads / Team::kThreads, kLongestRun = 16;
    using Find = FindNearest<kMost, Tree>;
    std::size_t run = std::clamp<std::size_t>(places.size / kFewestTeams, 1, kLongestRun);
    std::size_t n_teams = (places.size + run - 1) / run;
    launch_blocks<kNearestThreads, typename Find::Shared>(
        stream, "nearest points", static_cast<std::uint32_t>((n_teams + kTeams - 1) / kTeams),
        Find{tree, places, static_cast<std::uint32_t>(run), k, radius * radius, out});
}

/// Performs find_nearest() in any tree that for_each_leaf_near() visits.
template <class Tree>
void find_nearest_in(Stream& stream, const Tree& tree, View<const vec3> places, int k, float radius,
                     const NearestPoints& out) {
    if (k <= 8) return find_up_to<8>(stream, tree, places, k, radius, out);
    if (k <= 16) return find_up_to<16>(stream, tree, places, k, radius, out);
    if (k <= 32) return find_up_to<32>(stream, tree, places, k, radius, out);
    if (k <= 56) return find_up_to<56>(stream, tree, places, k, radius, out);
    find_up_to<NearestPoints::kMost>(stream, tree, places, k, radius, out);
}

/// Performs count_within() in any such tree.
template <class Tree>
void count_within_in(Stream& stream, const Tree& tree, View<const vec3> places, float radius,
                     View<std::uint32_t> counts) {
    for_each_team(
        stream, "points within", static_cast<std::uint32_t>(places.size),
        TL_LAMBDA(const Team& team, std::uint32_t q) {
            std::uint32_t n = 0;
            for_each_point_within(tree, places[q], radius,
                                  [&](std::uint32_t, const auto&, float) { ++n; });
            n = team.sum(n);
            if (Team::rank() == 0) counts[q] = n;
        });
}

TL_DEVICE_END
