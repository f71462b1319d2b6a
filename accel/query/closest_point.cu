#include "accel/query/closest_point.h"

#include "accel/query/nearest_shape.h"
#include "accel/query/query_order.h"
#include "core/device/parallel_for.h"
#if !defined(__CUDACC__)
#include "accel/query/nearest_shape8.h"
#endif

TL_DEVICE_BEGIN

namespace {

/// Number of a grid's points from which the lanes of a warp search together. The points of a tile
/// are then close to each other, and there are warps enough.
constexpr std::uint32_t kLeastTogether = 1u << 17;

/// Leaf slots of shapes that are close to the centres of a grid's cells.
struct NearbyPlaces {
    static constexpr std::uint32_t kEdge = 4;  ///< points along each edge of a cell
    View<const std::uint32_t> places;
    glm::uvec3 n_cells{0};

    /// The centres of the cells, as a grid.
    [[nodiscard]] static QueryPoints cells_of(const QueryPoints& grid) {
        return QueryPoints::grid((grid.size + (kEdge - 1)) / kEdge,
                                 grid.origin + 0.5f * (kEdge - 1) * grid.spacing,
                                 static_cast<float>(kEdge) * grid.spacing);
    }
    [[nodiscard]] TL_D std::uint32_t place_of(std::uint32_t query, const QueryPoints& grid) const {
        const glm::uvec3 cell = grid.grid_point(query) / kEdge;
        return places[(cell.z * n_cells.y + cell.y) * n_cells.x + cell.x];
    }
};

/// Finds the closest shapes of runs of queries. Writes their leaf slots in the order of turns, or
/// of queries for a grid. Each search begins with a shape that is close: the last one that was
/// found, since neighbours in order have close shapes in common; that of the grid's cell; or those
/// of a leaf that a warp finds for its lanes. With kTogether a warp searches for its lanes
/// together.
template <ShapeKind kKind, bool kTogether>
struct ClosestShapeFinder {
    TreeView tree;
    QueryPoints queries;
    float most;
    View<std::uint32_t> places;
    NearbyPlaces nearby;

    TL_D void operator()(std::uint32_t thread) const {
        std::uint32_t last = Hit::kNone;
        for (std::uint32_t k = 0; k < QueryRuns::kLength; ++k) {
            const std::uint32_t turn = QueryRuns::turn_of(thread, k),
                                query = queries.query_of(turn);
            const bool has_query = query < queries.count;
            if (nearby.places.data && has_query) last = nearby.place_of(query, queries);
            const std::uint32_t place = find(query, has_query, last);
            const std::uint32_t slot = queries.size.x != 0 ? query : turn;
            if (slot < places.size) places[slot] = place;
            if (place != Hit::kNone) last = place;
        }
    }

  private:
    /// On a GPU called by all lanes of a warp.
    TL_D std::uint32_t find(std::uint32_t query, bool has_query, std::uint32_t last) const {
        const vec3 p = has_query ? queries(query) : vec3(0);
        const bool has_point = has_query && fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < kInfinity;
        if (tree.bvh2.header->n_valid == 0) return Hit::kNone;
        NearestShape nearest{};
        if (has_point) nearest = begin(p, last);
#if defined(__CUDACC__)
        if constexpr (kTogether) return nearest_of_warp<kKind>(tree, p, nearest).place;
        const NodeRef leaf = leaf_near(tree, p, has_point);
        if (!leaf.is_missing()) nearest.template test<kKind>(tree, leaf, p);
#else
        if (!has_point) return Hit::kNone;
        if (kKind == ShapeKind::triangles && tree.layout == TreeLayout::simd8)
            return nearest_triangle8(tree, p, nearest).place;
#endif
        return nearest_shape<kKind>(tree, p, nearest).place;
    }
    /// The shape that a search begins with, if it is close enough.
    TL_D NearestShape begin(vec3 p, std::uint32_t last) const {
        // A little more than the square, so that a shape at the limit is found.
        NearestShape none{most < kInfinity ? most * most * (1 + 4e-7f) + FLT_MIN : FLT_MAX};
        if (last == Hit::kNone) return none;
        float square = square_to_shape<kKind>(load_words(tree.primitives + last), p);
        return square < none.square ? NearestShape{square, last} : none;
    }
};

/// Computes the closest points of the shapes that were found, in double precision.
template <ShapeKind kKind>
struct ClosestPointWriter {
    TreeView tree;
    QueryPoints queries;
    float most;
    View<const std::uint32_t> places;
    ClosestPointsOut out;

    TL_D void operator()(std::uint32_t turn) const {
        const std::uint32_t query = queries.size.x != 0 ? turn : queries.query_of(turn);
        if (query >= queries.count) return;
        const vec3 p = queries(query);
        float distance = kInfinity;
        vec3 position = p;
        Barycentric<double> at;
        std::uint32_t id = Hit::kNone;
        if (places[turn] != Hit::kNone) {
            const Primitive shape = load_words(tree.primitives + places[turn]);
            auto to = to_closest_on<double>(kKind, shape, p, at);
            auto exact = static_cast<float>(glm::length(to));
            if (exact <= most) {
                distance = exact;
                position = vec3(to + glm::vec<3, double>(p));
                id = shape.id;
            } else {
                at = {};
            }
        }
        if (out.distances) out.distances[query] = distance;
        if (out.primitives) out.primitives[query] = id;
        if (out.positions)
            for (int c = 0; c < 3; ++c) out.positions[std::size_t(3) * query + c] = position[c];
        if (out.uv) {
            out.uv[std::size_t(2) * query] = static_cast<float>(at.u);
            out.uv[std::size_t(2) * query + 1] = static_cast<float>(at.v);
        }
    }
};

template <ShapeKind kKind, bool kTogether>
void find_shapes(Stream& stream, const TreeView& tree, const QueryPoints& queries, float most,
                 View<std::uint32_t> places, const NearbyPlaces& nearby = {}) {
    parallel_for(stream, "closest shapes", QueryRuns::n_threads(queries),
                 ClosestShapeFinder<kKind, kTogether>{tree, queries, most, places, nearby}, 16);
}

/// Finds the closest shapes of a grid: first of its cells, then of its points.
template <ShapeKind kKind, bool kTogether>
void find_shapes_of_grid(Scratch& scratch, const TreeView& tree, const QueryPoints& queries,
                         float most, View<std::uint32_t> places) {
    const QueryPoints cells = NearbyPlaces::cells_of(queries);
    auto near = scratch.take<std::uint32_t>(cells.count);
    find_shapes<kKind, kTogether>(scratch.stream(), tree, cells, most, near);
    find_shapes<kKind, kTogether>(scratch.stream(), tree, queries, most, places,
                                  {near, cells.size});
}

template <ShapeKind kKind>
void find_closest(Scratch& scratch, const TreeView& tree, const QueryPoints& queries, float most,
                  const ClosestPointsOut& out) {
    auto& stream = scratch.stream();
    auto places = scratch.take<std::uint32_t>(queries.count);
    if (queries.size.x != 0 && queries.count >= kLeastTogether)
        find_shapes_of_grid<kKind, true>(scratch, tree, queries, most, places);
    else if (queries.size.x != 0)
        find_shapes_of_grid<kKind, false>(scratch, tree, queries, most, places);
    else
        find_shapes<kKind, false>(stream, tree, queries, most, places);
    parallel_for(stream, "closest points", queries.count,
                 ClosestPointWriter<kKind>{tree, queries, most, places, out});
}

}  // namespace

void find_closest_points(Scratch& scratch, const ShapeTreeView& tree, QueryPoints queries,
                         float most, const ClosestPointsOut& out) {
    Scratch::Scope scope(scratch);
    order_queries(scratch, tree, queries);
    if (tree.kind == ShapeKind::triangles)
        find_closest<ShapeKind::triangles>(scratch, tree.tree, queries, most, out);
    else if (tree.kind == ShapeKind::boxes)
        find_closest<ShapeKind::boxes>(scratch, tree.tree, queries, most, out);
    else
        find_closest<ShapeKind::spheres>(scratch, tree.tree, queries, most, out);
}

TL_DEVICE_END
