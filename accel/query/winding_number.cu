#include "accel/query/winding_number.h"

#include "accel/bvh/traversal/traversal.h"
#include "accel/query/query_order.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

struct WindingSum {
    WindingTree winding;
    QueryPoints queries;
    WindingOut out;

    TL_D void operator()(std::uint32_t thread) const {
        std::uint32_t query = queries.query_of(thread);
        if (query >= queries.count) return;
        const vec3 p = queries(query);
        bool finite = fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < kInfinity;
        float number = 0;
        if (finite && winding.tree.tree.bvh2.header->n_valid > 0) number = sum_about(p);
        if (out.numbers) out.numbers[query] = number;
        if (out.inside) out.inside[query] = number > 0.5f;
        if (out.distances && number > 0.5f) out.distances[query] = -out.distances[query];
    }

  private:
    TL_D float sum_about(vec3 p) const {
        const TreeView& tree = winding.tree.tree;
        TraversalStack stack;
        Traversal way(NodeRef::inner(tree.bvh2.header->root), stack);
        float sum = 0;
        while (!way.done()) {
            if (way.ref.is_leaf()) {
                for (std::uint32_t k = 0; k < way.ref.count(); ++k)
                    sum += number_of(load_words(tree.primitives + way.ref.first() + k), p);
                way.go_on(NodeRef::missing());
                continue;
            }
            const WindingNode far = load_words(winding.nodes.data + way.ref.bits);
            vec3 offset = far.center - p;
            float reach = winding.accuracy * far.radius;
            if (glm::dot(offset, offset) > reach * reach) {
                sum += far_winding_number(far, p);
                way.go_on(NodeRef::missing());
                continue;
            }
            const BvhNode& node = tree.bvh2.nodes[way.ref.bits];
            NodeRef child0 = node.child0, child1 = node.child1;
            if (!child1.is_missing()) way.push(child1);
            way.go_on(child0);
        }
        way.report(tree.bvh2.header);
        return sum;
    }
    TL_D static float number_of(const Primitive& shape, vec3 p) {
        TriangleEdges t(shape);
        vec3 a = t.vertex - p;
        return triangle_winding_number(a, a + t.edge1, a + t.edge2);
    }
};

}  // namespace

void find_winding_numbers(Scratch& scratch, const WindingTree& tree, QueryPoints queries,
                          const WindingOut& out) {
    Scratch::Scope scope(scratch);
    order_queries(scratch, tree.tree, queries);
    parallel_for(scratch.stream(), "winding numbers", queries.n_threads(),
                 WindingSum{tree, queries, out}, 64);
}

TL_DEVICE_END
