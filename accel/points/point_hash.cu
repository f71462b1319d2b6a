#include "accel/points/point_hash.h"

#include <bit>

#include "accel/points/nearest_kernels.h"
#include "core/base/random.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kFewestPerEntry = 2;

/// Returns the grid of a table, with a random rotation and shift that depend on its number only.
TurnedGrid grid_of(int table, float width) {
    RandomStream random(static_cast<std::uint64_t>(table), 0, 0);
    TurnedGrid grid;
    vec3 a, b;
    do {
        for (int k = 0; k < 3; ++k) a[k] = random.next() - 0.5f;
        for (int k = 0; k < 3; ++k) b[k] = random.next() - 0.5f;
    } while (glm::length(glm::cross(a, b)) < 0.05f);
    a = glm::normalize(a);
    vec3 c = glm::normalize(glm::cross(a, b));
    vec3 directions[3] = {a, glm::cross(c, a), c};
    for (int k = 0; k < 3; ++k) {
        grid.directions[k] = directions[k] / width;
        grid.shift[k] = random.next();
    }
    return grid;
}

void fill_table(Scratch& scratch, View<const vec3> points, const PointHashView& hash, int table,
                View<std::uint32_t> starts, View<std::uint32_t> ends, View<TreePoint> to) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(points.size);
    auto take = [&] {
        return Pairs<std::uint32_t>{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    };
    auto pairs = take(), spare = take();
    PointHashView all = hash;
    parallel_for(
        stream, "entries of points", n, TL_LAMBDA(std::uint32_t i) {
            pairs.keys[i] = all.entry_of(all.grids[table].cell(points[i]));
            pairs.values[i] = i;
        });
    pairs = sort_pairs(scratch, pairs, spare, 0, static_cast<int>(std::bit_width(hash.n_entries)));
    find_sorted_bounds(stream, pairs.keys, starts, ends);
    parallel_for(
        stream, "points of a table", n, TL_LAMBDA(std::uint32_t i) {
            store_vectorized(to[i], TreePoint{points[pairs.values[i]], pairs.values[i]});
        });
}

/// Whether a point shares the query point's cell in table `table`, and in no earlier one. Entries
/// also contain points of other cells. A point that shares a cell in an earlier table was found
/// there.
TL_D bool is_met_first(const PointHashView& hash, int table, vec3 point, vec3 p) {
    if (hash.grids[table].cell(point) != hash.grids[table].cell(p)) return false;
    for (int earlier = 0; earlier < table; ++earlier)
        if (hash.grids[earlier].cell(point) == hash.grids[earlier].cell(p)) return false;
    return true;
}

}  // namespace

/// Calls use(point, square) for each point that shares a cell with `p` in some table: once, in the
/// first of these tables. The threads of a team divide the points; all call `use` equally often.
/// `square` is infinite for points to be skipped, and beyond an entry's end.
template <class Use>
TL_D void for_each_in_cells(const PointHashView& hash, vec3 p, Use&& use) {
    std::size_t n_points = hash.points.size / static_cast<std::size_t>(hash.n_tables);
    for (int table = 0; table < hash.n_tables; ++table) {
        std::size_t entry = static_cast<std::size_t>(table) * hash.n_entries +
                            hash.entry_of(hash.grids[table].cell(p));
        std::size_t of_table = static_cast<std::size_t>(table) * n_points;
        std::uint32_t first = hash.starts[entry], end = hash.ends[entry];
        for (std::uint32_t i = first; i < end; i += Team::kThreads) {
            std::uint32_t own = i + Team::rank();
            float square = kInfinity;
            TreePoint point{};
            if (own < end) {
                point = load_vectorized(hash.points[of_table + own]);
                if (is_met_first(hash, table, point.position, p))
                    square = square_distance(p, point.position);
            }
            use(point, square);
        }
    }
}

/// Search of the tables; the kernels of nearest_kernels.h call it.
template <int kMost>
TL_D void find_nearest_points(const Team& team, const PointHashView& hash, vec3 p,
                              NearestList<kMost>& list) {
    if (!hash.points.empty())
        for_each_in_cells(hash, p, [&](const TreePoint& point, float square) {
            list.offer(team, square, point.index);
        });
    list.finish(team);
}

void PointHash::build(Scratch& scratch, View<const vec3> points, float width, int n_tables) {
    auto& stream = scratch.stream();
    n_tables_ = n_tables;
    width_ = width;
    n_entries_ = 1;
    while (n_entries_ < points.size / kFewestPerEntry) n_entries_ *= 2;
    auto n = static_cast<std::size_t>(n_tables);
    starts_.resize_discard(stream, n * n_entries_);
    ends_.resize_discard(stream, n * n_entries_);
    points_.resize_discard(stream, n * points.size);
    if (points.empty()) return;
    PointHashView hash = view();
    for (int table = 0; table < n_tables; ++table) {
        std::size_t entries = static_cast<std::size_t>(table) * n_entries_;
        fill_table(scratch, points, hash, table, {starts_.data() + entries, n_entries_},
                   {ends_.data() + entries, n_entries_},
                   {points_.data() + static_cast<std::size_t>(table) * points.size, points.size});
    }
}

PointHashView PointHash::view() const {
    PointHashView view;
    view.n_tables = n_tables_;
    view.n_entries = n_entries_;
    for (int table = 0; table < n_tables_; ++table) view.grids[table] = grid_of(table, width_);
    view.starts = starts_.view();
    view.ends = ends_.view();
    view.points = points_.view();
    return view;
}

void find_nearest(Stream& stream, const PointHashView& hash, View<const vec3> places, int k,
                  float radius, const NearestPoints& out) {
    find_nearest_in(stream, hash, places, k, radius, out);
}

void count_within(Stream& stream, const PointHashView& hash, View<const vec3> places, float radius,
                  View<std::uint32_t> counts) {
    float most = radius * radius;
    PointHashView tables = hash;
    for_each_team(
        stream, "points within", static_cast<std::uint32_t>(places.size),
        TL_LAMBDA(const Team& team, std::uint32_t q) {
            std::uint32_t n = 0;
            if (!tables.points.empty())
                for_each_in_cells(tables, places[q], [&](const TreePoint&, float square) {
                    n += square < most ? 1 : 0;
                });
            n = team.sum(n);
            if (Team::rank() == 0) counts[q] = n;
        });
}

TL_DEVICE_END
