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
        NodeRef next = NodeRef::missing();
#if defined(__CUDACC__)
        const NodeOrPrimitive<BvhNode> loaded(tree.bvh2.nodes, tree.primitives, ref);
        if (ref.is_leaf()) {
            test(ref.first(), loaded.primitive());
            if (ref.count() > 1) next = ref.without_first();
        } else {
            next = descend(loaded.node());
        }
#else
        if (ref.is_leaf())
            for (std::uint32_t k = 0; k < ref.count(); ++k)
                test(ref.first() + k, tree.primitives[ref.first() + k]);
        else
            next = descend(tree.bvh2.nodes[ref.bits]);
#endif
        ref = next.is_missing() ? stack.pop(nearest.square) : next;
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

/// Finds and writes the closest points of a run of queries. Each search begins with the shape that
/// the last one found: neighbours in order have close shapes in common. The shape that a search in
/// single precision finds gives the point in double precision. With kTogether a warp searches for
/// its lanes together.
template <ShapeKind kKind, bool kTogether>
struct ClosestPointFinder {
    ShapeTreeView tree;
    QueryPoints queries;
    QueryRuns runs;
    float most;
    ClosestPointsOut out;

    TL_D void operator()(std::uint32_t thread) const {
        std::uint32_t last = Hit::kNone;
        for (std::uint32_t k = 0; k < runs.length; ++k)
            find(queries.query_of(runs.turn_of(thread, k)), last);
    }

  private:
    TL_D void find(std::uint32_t query, std::uint32_t& last) const {
        const bool has_query = query < queries.count;
        if (!kTogether && !has_query) return;
        const vec3 p = has_query ? queries(query) : vec3(0);
        const bool finite = fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < kInfinity;
        NearestShape nearest{};
        if (tree.tree.bvh2.header->n_valid > 0) {
            if (has_query && finite) nearest = begin(p, last);
#if defined(__CUDACC__)
            if constexpr (kTogether)
                nearest = nearest_of_warp<kKind>(tree.tree, p, nearest);
            else
#endif
                if (finite)
                nearest = nearest_shape<kKind>(tree.tree, p, nearest);
        }
        if (!has_query) return;
        write(query, p, nearest.place);
        if (nearest.place != Hit::kNone) last = nearest.place;
    }
    /// The shape that a search begins with, if it is close enough.
    TL_D NearestShape begin(vec3 p, std::uint32_t last) const {
        // A little more than the square, so that a shape at the limit is found.
        NearestShape none{most < kInfinity ? most * most * (1 + 4e-7f) + FLT_MIN : FLT_MAX};
        if (last == Hit::kNone) return none;
        float square = square_to_shape<kKind>(load_words(tree.tree.primitives + last), p);
        return square < none.square ? NearestShape{square, last} : none;
    }
    TL_D void write(std::uint32_t query, vec3 p, std::uint32_t place) const {
        float distance = kInfinity;
        vec3 position = p;
        Barycentric<double> at;
        std::uint32_t id = Hit::kNone;
        if (place != Hit::kNone) {
            const Primitive& shape = tree.tree.primitives[place];
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

template <ShapeKind kKind>
void find_closest(Stream& stream, const ShapeTreeView& tree, const QueryPoints& queries, float most,
                  const ClosestPointsOut& out) {
    const QueryRuns runs = runs_of(queries);
#if defined(__CUDACC__)
    if (queries.size.x != 0)
        return parallel_for(stream, "closest points", runs.n_threads(queries),
                            ClosestPointFinder<kKind, true>{tree, queries, runs, most, out});
#endif
    parallel_for(stream, "closest points", runs.n_threads(queries),
                 ClosestPointFinder<kKind, false>{tree, queries, runs, most, out}, 16);
}

}  // namespace

void find_closest_points(Scratch& scratch, const ShapeTreeView& tree, QueryPoints queries,
                         float most, const ClosestPointsOut& out) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    order_queries(scratch, tree, queries);
    if (tree.kind == ShapeKind::triangles)
        find_closest<ShapeKind::triangles>(stream, tree, queries, most, out);
    else if (tree.kind == ShapeKind::boxes)
        find_closest<ShapeKind::boxes>(stream, tree, queries, most, out);
    else
        find_closest<ShapeKind::spheres>(stream, tree, queries, most, out);
}

TL_DEVICE_END
