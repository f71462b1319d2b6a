#include "accel/points/point_grid.h"

#include "accel/points/nearest_kernels.h"

TL_DEVICE_BEGIN

namespace {

/// Number of rings of cells that are searched before all points are tested.
constexpr int kRings = 4;

/// Calls use(point, square) for each point of a cell, from one thread of a team. All threads of the
/// team call it equally often. `square` is infinite for points of other cells that share the entry,
/// and beyond the entry's end.
template <class Use>
TL_D void for_each_in_cell(const PointHashView& table, glm::ivec3 cell, vec3 p, Use&& use) {
    std::uint32_t entry = table.entry_of(cell), end = table.ends[entry];
    for (std::uint32_t i = table.starts[entry]; i < end; i += Team::kThreads) {
        std::uint32_t own = i + Team::rank();
        float square = kInfinity;
        TreePoint point{};
        if (own < end) {
            point = load_vectorized(table.points[own]);
            if (table.grids[0].cell(point.position) == cell)
                square = square_distance(p, point.position);
        }
        use(point, square);
    }
}

/// Returns a lower bound of the distance of `p` from the nearest border of its cell, in cells,
/// rounding included.
TL_D float gap_in_cell(const TurnedGrid& grid, vec3 p) {
    constexpr float kRounding = 1e-6f;
    float gap = 0.5f;
    for (int axis = 0; axis < 3; ++axis) {
        float at = grid.along(axis, p), in_cell = at - floorf(at);
        gap = minimum(gap, minimum(in_cell, 1 - in_cell) - kRounding * (1 + fabsf(at)));
    }
    return gap;
}

TL_D bool is_in_ring(int ring, int x, int y, int z) {
    return x == -ring || x == ring || y == -ring || y == ring || z == -ring || z == ring;
}

}  // namespace

/// Search by rings of cells; the kernels of nearest_kernels.h call it.
template <int kMost>
TL_D void find_nearest_points(const Team& team, const PointGridView& grid, vec3 p,
                              NearestList<kMost>& list) {
    const PointHashView& table = grid.table;
    if (table.points.empty()) return list.finish(team);
    glm::ivec3 own = table.grids[0].cell(p);
    float gap = gap_in_cell(table.grids[0], p);
    for (int ring = 0; ring <= kRings; ++ring) {
        for (int z = -ring; z <= ring; ++z)
            for (int y = -ring; y <= ring; ++y)
                for (int x = -ring; x <= ring; ++x)
                    if (is_in_ring(ring, x, y, z))
                        for_each_in_cell(table, own + glm::ivec3(x, y, z), p,
                                         [&](const TreePoint& point, float square) {
                                             list.offer(team, square, point.index);
                                         });
        list.finish(team);
        // All points nearer than this distance have been offered.
        float reach = (static_cast<float>(ring) + gap) * grid.width * (1 - 1e-5f);
        if (reach > 0 && list.worst() <= reach * reach) return;
    }
    list.clear();
    auto n = static_cast<std::uint32_t>(table.points.size);
    for (std::uint32_t i = 0; i < n; i += Team::kThreads) {
        std::uint32_t at = i + Team::rank();
        TreePoint point = at < n ? load_vectorized(table.points[at]) : TreePoint{};
        list.offer(team, at < n ? square_distance(p, point.position) : kInfinity, point.index);
    }
    list.finish(team);
}

void find_nearest(Stream& stream, const PointGridView& grid, View<const vec3> places, int k,
                  float radius, const NearestPoints& out) {
    find_nearest_in(stream, grid, places, k, radius, out);
}

void count_within(Stream& stream, const PointGridView& grid, View<const vec3> places, float radius,
                  View<std::uint32_t> counts) {
    PointHashView table = grid.table;
    float most = radius * radius;
    for_each_team(
        stream, "points within", static_cast<std::uint32_t>(places.size),
        TL_LAMBDA(const Team& team, std::uint32_t q) {
            std::uint32_t n = 0;
            vec3 p = places[q];
            glm::ivec3 own = table.grids[0].cell(p);
            if (!table.points.empty())
                for (int z = -1; z <= 1; ++z)
                    for (int y = -1; y <= 1; ++y)
                        for (int x = -1; x <= 1; ++x)
                            for_each_in_cell(table, own + glm::ivec3(x, y, z), p,
                                             [&](const TreePoint&, float square) {
                                                 n += square < most ? 1 : 0;
                                             });
            n = team.sum(n);
            if (Team::rank() == 0) counts[q] = n;
        });
}

TL_DEVICE_END
