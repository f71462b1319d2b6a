#include "accel/query/closest_point.h"

#include "accel/bvh/traversal/traversal.h"
#include "accel/query/closest_on_shape.h"
#include "accel/query/query_order.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Nodes that a search has put off, with the squares of their distances.
struct NearStack {
    struct alignas(8) Entry {
        std::uint32_t ref;
        float square;
    };
    Entry entries[kTraversalStack];
    std::uint32_t depth = 0;
    bool was_full = false;

    TL_D void push(NodeRef ref, float square) {
        if (depth == kTraversalStack) {
            was_full = true;
            return;
        }
        entries[depth++] = {ref.bits, square};
    }
    /// Takes the last node that is closer than `most`; missing if there is none.
    TL_D NodeRef pop(float most) {
        while (depth > 0) {
            const Entry last = entries[--depth];
            if (last.square < most) return NodeRef{last.ref};
        }
        return NodeRef::missing();
    }
};

/// Returns the squared distance to a box, which is infinite for a missing child's box at infinity.
TL_D TL_ALWAYS_INLINE float square_to(vec3 lo, vec3 hi, vec3 p) {
    float x = maximum(maximum(lo.x - p.x, p.x - hi.x), 0.0f);
    float y = maximum(maximum(lo.y - p.y, p.y - hi.y), 0.0f);
    float z = maximum(maximum(lo.z - p.z, p.z - hi.z), 0.0f);
    return x * x + y * y + z * z;
}

struct NearestShape {
    float square;
    std::uint32_t place = Hit::kNone;
};

/// Returns the squared distance to a shape in single precision.
template <ShapeKind kKind>
TL_D float square_to_shape(const Primitive& shape, vec3 p) {
    Barycentric<float> at;
    vec3 to = to_closest_on<float>(kKind, shape, p, at);
    return glm::dot(to, to);
}

/// Finds the closest shape. `nearest`: one that is known, or none at the largest squared distance.
template <ShapeKind kKind>
TL_D NearestShape nearest_shape(const TreeView& tree, vec3 p, NearestShape nearest) {
    NearStack stack;
    NodeRef ref = NodeRef::inner(tree.bvh2.header->root);
    auto test = [&](std::uint32_t place, const Primitive& shape) {
        float square = square_to_shape<kKind>(shape, p);
        if (square < nearest.square) nearest = {square, place};
    };
    auto descend = [&](const BvhNode& node) {
        float s0 = square_to(node.lo0, node.hi0, p), s1 = square_to(node.lo1, node.hi1, p);
        bool near0 = s0 < nearest.square, near1 = s1 < nearest.square;
        bool first1 = near0 && near1 ? s1 < s0 : near1;
        if (near0 && near1) stack.push(first1 ? node.child0 : node.child1, first1 ? s0 : s1);
        NodeRef child = first1 ? node.child1 : node.child0;
        return near0 || near1 ? child : NodeRef::missing();
    };
    while (!ref.is_missing()) {
        // Lanes of a warp wait for each other's leaves: a step that is a node for some lanes and a
        // triangle for others costs both.
        while (!ref.is_leaf()) {
            ref = descend(load_words(tree.bvh2.nodes + ref.bits));
            if (ref.is_missing()) ref = stack.pop(nearest.square);
        }
        if (ref.is_missing()) break;
        for (std::uint32_t k = 0; k < ref.count(); ++k)
            test(ref.first() + k, load_words(tree.primitives + ref.first() + k));
        ref = stack.pop(nearest.square);
    }
    if (stack.was_full) atomic_or(&tree.bvh2.header->errors, kTraversalStackFull);
    return nearest;
}

#if defined(__CUDACC__)

/// nearest_shape() for the points of a warp, which visits each node once for all lanes that need
/// it. Its loads are those of one lane, and no lane waits for another's turn; but each visits what
/// any of them has to. Called by all lanes; those without a point have a `nearest` at 0.
template <ShapeKind kKind>
__device__ NearestShape nearest_of_warp(const TreeView& tree, vec3 p, NearestShape nearest) {
    constexpr unsigned kAllLanes = 0xffffffffu;
    NearStack stack;
    NodeRef ref = NodeRef::inner(tree.bvh2.header->root);
    for (;;) {
        NodeRef next = NodeRef::missing();
        if (ref.is_leaf()) {
            for (std::uint32_t k = 0; k < ref.count(); ++k) {
                const std::uint32_t place = ref.first() + k;
                float square = square_to_shape<kKind>(load_words(tree.primitives + place), p);
                if (square < nearest.square) nearest = {square, place};
            }
        } else {
            const BvhNode node = load_words(tree.bvh2.nodes + ref.bits);
            float s0 = square_to(node.lo0, node.hi0, p), s1 = square_to(node.lo1, node.hi1, p);
            unsigned near0 = __ballot_sync(kAllLanes, s0 < nearest.square);
            unsigned near1 = __ballot_sync(kAllLanes, s1 < nearest.square);
            if (near0 && near1) {
                // The child that more lanes are closer to comes first.
                unsigned closer1 = __ballot_sync(kAllLanes, s1 < s0);
                bool first1 = __popc(closer1 & near1) > __popc(near0 & ~closer1);
                stack.push(first1 ? node.child0 : node.child1, first1 ? s0 : s1);
                next = first1 ? node.child1 : node.child0;
            } else if (near0 || near1) {
                next = near0 ? node.child0 : node.child1;
            }
        }
        while (next.is_missing() && stack.depth > 0) {
            const NearStack::Entry last = stack.entries[--stack.depth];
            if (__any_sync(kAllLanes, last.square < nearest.square)) next = NodeRef{last.ref};
        }
        if (next.is_missing()) break;
        ref = next;
    }
    if (stack.was_full) atomic_or(&tree.bvh2.header->errors, kTraversalStackFull);
    return nearest;
}

#endif

/// Finds the closest shapes of runs of queries, and writes their leaf slots in the order of turns.
/// Each search begins with the shape that the last one found: neighbours in order have close shapes
/// in common. With kTogether a warp searches for its lanes together.
template <ShapeKind kKind, bool kTogether>
struct ClosestShapeFinder {
    TreeView tree;
    QueryPoints queries;
    QueryRuns runs;
    float most;
    View<std::uint32_t> places;

    TL_D void operator()(std::uint32_t thread) const {
        std::uint32_t last = Hit::kNone;
        for (std::uint32_t k = 0; k < runs.length; ++k) {
            const std::uint32_t turn = runs.turn_of(thread, k);
            const std::uint32_t place = find(queries.query_of(turn), last);
            if (turn < places.size) places[turn] = place;
            if (place != Hit::kNone) last = place;
        }
    }

  private:
    TL_D std::uint32_t find(std::uint32_t query, std::uint32_t last) const {
        const bool has_query = query < queries.count;
        if (!kTogether && !has_query) return Hit::kNone;
        const vec3 p = has_query ? queries(query) : vec3(0);
        const bool finite = fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < kInfinity;
        if (tree.bvh2.header->n_valid == 0 || (!kTogether && !finite)) return Hit::kNone;
        NearestShape nearest{};
        if (has_query && finite) nearest = begin(p, last);
#if defined(__CUDACC__)
        if constexpr (kTogether) return nearest_of_warp<kKind>(tree, p, nearest).place;
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
        const std::uint32_t query = queries.query_of(turn);
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
                 View<std::uint32_t> places) {
    const QueryRuns runs = runs_of(queries);
    parallel_for(stream, "closest shapes", runs.n_threads(queries),
                 ClosestShapeFinder<kKind, kTogether>{tree, queries, runs, most, places}, 16);
}

template <ShapeKind kKind>
void find_closest(Scratch& scratch, const TreeView& tree, const QueryPoints& queries, float most,
                  const ClosestPointsOut& out) {
    auto& stream = scratch.stream();
    auto places = scratch.take<std::uint32_t>(queries.n_threads());
#if defined(__CUDACC__)
    const bool is_grid = queries.size.x != 0;
    if (is_grid) find_shapes<kKind, true>(stream, tree, queries, most, places);
    if (!is_grid)
#endif
        find_shapes<kKind, false>(stream, tree, queries, most, places);
    parallel_for(stream, "closest points", queries.n_threads(),
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
