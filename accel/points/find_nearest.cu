#include "accel/points/find_nearest.h"

#include "accel/parallel/block.h"
#include "accel/points/point_search.h"

TL_DEVICE_BEGIN

namespace {

#if defined(__CUDACC__)
constexpr int kThreads = 128;
#else
constexpr int kThreads = 1;
#endif

template <int kMost>
struct FindNearest {
    using List = NearestList<kMost>;
    struct Shared {
        typename List::Storage of_team[kThreads / Team::kThreads];
    };
    PointTreeView tree;
    View<const vec3> places;
    int k;
    float most;
    NearestPoints out;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t number = block.rank / Team::kThreads;
        std::size_t q = std::size_t(block.index) * (kThreads / Team::kThreads) + number;
        if (q >= places.size) return;
        Team team;
        List list(shared.of_team[number], k, most);
        find_nearest_points(team, tree, places[q], list);
        std::size_t first = q * static_cast<std::size_t>(k);
        list.for_each([&](int i, float square, std::uint32_t index) {
            std::size_t at = first + static_cast<std::size_t>(i);
            if (!out.indices.empty()) out.indices[at] = index;
            if (!out.squares.empty()) out.squares[at] = square;
        });
        if (!out.farthest.empty() && Team::rank() == 0) out.farthest[q] = list.worst();
    }
};

template <int kMost>
void find(Stream& stream, const PointTreeView& tree, View<const vec3> places, int k, float radius,
          const NearestPoints& out) {
    constexpr std::size_t kTeams = kThreads / Team::kThreads;
    using Find = FindNearest<kMost>;
    launch_blocks<kThreads, typename Find::Shared>(
        stream, "nearest points", static_cast<std::uint32_t>((places.size + kTeams - 1) / kTeams),
        Find{tree, places, k, radius * radius, out});
}

}  // namespace

void find_nearest(Stream& stream, const PointTreeView& tree, View<const vec3> places, int k,
                  float radius, const NearestPoints& out) {
    if (k <= 8) return find<8>(stream, tree, places, k, radius, out);
    if (k <= 16) return find<16>(stream, tree, places, k, radius, out);
    if (k <= 32) return find<32>(stream, tree, places, k, radius, out);
    if (k <= 56) return find<56>(stream, tree, places, k, radius, out);
    find<NearestPoints::kMost>(stream, tree, places, k, radius, out);
}

void count_within(Stream& stream, const PointTreeView& tree, View<const vec3> places, float radius,
                  View<std::uint32_t> counts) {
    for_each_team(
        stream, "points within", static_cast<std::uint32_t>(places.size),
        TL_LAMBDA(const Team& team, std::uint32_t q) {
            std::uint32_t n = 0;
            for_each_point_within(tree, places[q], radius,
                                  [&](std::uint32_t, const TreePoint&, float) { ++n; });
            n = team.sum(n);
            if (Team::rank() == 0) counts[q] = n;
        });
}

TL_DEVICE_END
