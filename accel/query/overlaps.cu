#include "accel/query/overlaps.h"

#include "accel/bvh/traversal/traversal.h"
#include "accel/query/overlap_tests.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

TL_D bool boxes_meet(const Box& a, vec3 lo, vec3 hi) {
    return a.lo.x <= hi.x && a.hi.x >= lo.x && a.lo.y <= hi.y && a.hi.y >= lo.y && a.lo.z <= hi.z &&
           a.hi.z >= lo.z;
}

/// Reads a triangle's own vertices: leaves store rounded edges.
TL_D TriangleCorners corners_of(const ShapesView& triangles, std::uint32_t id) {
    const glm::uvec3 f = triangles.face(id);
    const StridedFloats& at = triangles.positions;
    return {{dvec3(at.vector(f.x)), dvec3(at.vector(f.y)), dvec3(at.vector(f.z))}};
}

/// Calls found(primitive) for the primitives in leaves whose boxes intersect a box. Ends early when
/// it returns false.
template <class Found>
TL_D void for_each_in(const TreeView& tree, const Box& box, Found&& found) {
    if (!box.is_valid() || tree.bvh2.header->n_valid == 0) return;
    TraversalStack stack;
    Traversal way(NodeRef::inner(tree.bvh2.header->root), stack);
    while (!way.done()) {
        NodeRef next = NodeRef::missing();
        if (way.ref.is_leaf()) {
            for (std::uint32_t k = 0; k < way.ref.count(); ++k)
                if (!found(load_words(tree.primitives + way.ref.first() + k))) return;
        } else {
            const BvhNode node = load_words(tree.bvh2.nodes + way.ref.bits);
            bool meets0 = boxes_meet(box, node.lo0, node.hi0);
            bool meets1 = boxes_meet(box, node.lo1, node.hi1);
            if (meets0 && meets1) way.push(node.child1);
            if (meets0 || meets1) next = meets0 ? node.child0 : node.child1;
        }
        way.go_on(next);
    }
    way.report(tree.bvh2.header);
}

TL_D bool shape_meets(const ShapeTreeView& tree, const Primitive& p, const Box& box) {
    if (tree.kind == ShapeKind::triangles)
        return triangle_meets_box(corners_of(tree.triangles, p.id), box);
    if (tree.kind == ShapeKind::boxes) return boxes_meet(box, p.vertex, p.edge1);
    dvec3 center(p.vertex), nearest = glm::clamp(center, dvec3(box.lo), dvec3(box.hi));
    double radius = p.edge1.x;
    return glm::dot(nearest - center, nearest - center) <= radius * radius;
}

TL_D std::uint64_t add_to_count(std::uint64_t* count) {
#if defined(__CUDACC__)
    return atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ull);
#else
    return std::atomic_ref(*count).fetch_add(1, std::memory_order_relaxed);
#endif
}

TL_D bool share_a_vertex(const TriangleCorners& s, const TriangleCorners& t) {
    for (const auto& p : s.at)
        for (const auto& q : t.at)
            if (p == q) return true;
    return false;
}

/// Finds the pairs of one triangle of `b`.
struct PairFinder {
    ShapeTreeView a, b;
    bool self;
    PairsOut out;

    TL_D void operator()(std::uint32_t place) const {
        if (place >= b.tree.bvh2.header->n_places) return;
        const std::uint32_t own = b.tree.primitives[place].id;
        const TriangleCorners corners = corners_of(b.triangles, own);
        Box box;
        for (const auto& corner : corners.at) box.extend(vec3(corner));
        for_each_in(a.tree, box, [&](const Primitive& other) {
            if (self && other.id >= own) return true;
            const TriangleCorners others = corners_of(a.triangles, other.id);
            if (self && share_a_vertex(corners, others)) return true;
            if (triangles_meet(others, corners)) add(other.id, own);
            return true;
        });
    }

  private:
    TL_D void add(std::uint32_t of_a, std::uint32_t of_b) const {
        std::uint64_t at = add_to_count(out.count);
        if (at >= out.capacity) return;
        out.pairs[2 * at] = of_a;
        out.pairs[2 * at + 1] = of_b;
    }
};

}  // namespace

void count_in_boxes(Stream& stream, const ShapeTreeView& tree, const StridedBoxes& boxes,
                    std::uint32_t* counts) {
    parallel_for(
        stream, "count in boxes", boxes.count,
        TL_LAMBDA(std::uint32_t i) {
            const Box box = boxes.box(i);
            std::uint32_t n = 0;
            for_each_in(tree.tree, box, [&](const Primitive& p) {
                n += shape_meets(tree, p, box) ? 1 : 0;
                return true;
            });
            counts[i] = n;
        },
        64);
}

void list_in_boxes(Stream& stream, const ShapeTreeView& tree, const StridedBoxes& boxes,
                   const ListOffsets& offsets, std::uint32_t* primitives) {
    parallel_for(
        stream, "list in boxes", boxes.count,
        TL_LAMBDA(std::uint32_t i) {
            const Box box = boxes.box(i);
            std::uint64_t at = offsets[i];
            const std::uint64_t end = offsets[i + 1];
            for_each_in(tree.tree, box, [&](const Primitive& p) {
                if (shape_meets(tree, p, box) && at < end) primitives[at++] = p.id;
                return at < end;
            });
            while (at < end) primitives[at++] = Hit::kNone;
        },
        64);
}

void find_pairs(Stream& stream, const ShapeTreeView& a, const ShapeTreeView& b,
                std::size_t n_places_of_b, bool self, const PairsOut& out) {
    parallel_for(stream, "pairs of triangles", static_cast<std::uint32_t>(n_places_of_b),
                 PairFinder{a, b, self, out}, 64);
}

TL_DEVICE_END
