#include "accel/query/closest_point.h"

#include "accel/bvh/traversal/traversal.h"
#include "accel/query/closest_on_shape.h"
#include "accel/query/query_order.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Nodes that a search has put off, with the squares of their distances.
struct NearStack {
    std::uint32_t refs[kTraversalStack];
    float squares[kTraversalStack];
    std::uint32_t depth = 0;
    bool was_full = false;

    TL_D void push(NodeRef ref, float square) {
        if (depth == kTraversalStack) {
            was_full = true;
            return;
        }
        refs[depth] = ref.bits;
        squares[depth++] = square;
    }
    /// Takes the last node that is closer than `most`; missing if there is none.
    TL_D NodeRef pop(float most) {
        while (depth > 0)
            if (squares[--depth] < most) return NodeRef{refs[depth]};
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

/// Finds the closest shape, and its squared distance if that is below `most`.
template <ShapeKind kKind>
TL_D NearestShape nearest_shape(const TreeView& tree, vec3 p, float most) {
    NearestShape nearest{most};
    NearStack stack;
    NodeRef ref = NodeRef::inner(tree.bvh2.header->root);
    auto test = [&](std::uint32_t place, const Primitive& shape) {
        Barycentric<float> at;
        vec3 to = to_closest_on<float>(kKind, shape, p, at);
        float square = glm::dot(to, to);
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

/// Writes the closest point of the shape that a search in single precision has found, computed in
/// double precision.
template <ShapeKind kKind>
struct ClosestPointWriter {
    ShapeTreeView tree;
    QueryPoints queries;
    float most;
    ClosestPointsOut out;

    TL_D void operator()(std::uint32_t thread) const {
        std::uint32_t query = queries.query_of(thread);
        if (query >= queries.count) return;
        const vec3 p = queries(query);
        NearestShape nearest{};
        if (fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < kInfinity && tree.tree.bvh2.header->n_valid > 0)
            nearest =
                nearest_shape<kKind>(tree.tree, p, most < kInfinity ? above(most * most) : FLT_MAX);
        write(query, p, nearest.place);
    }

  private:
    /// The next larger numbers, so that a shape at the limit is found.
    TL_D static float above(float square) { return square * (1 + 4e-7f) + FLT_MIN; }
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
    ClosestPointWriter<kKind> writer{tree, queries, most, out};
    parallel_for(stream, "closest points", queries.n_threads(), writer, 128);
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
