#include "accel/query/shape_kernels.h"

#include "accel/bvh/passes/refit_nodes.h"
#include "core/device/vectorized_copy.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

TL_D void lower_to(std::uint32_t* least, std::uint32_t value) {
#if defined(__CUDACC__)
    atomicMin(least, value);
#else
    std::atomic_ref<std::uint32_t> at(*least);
    std::uint32_t now = at.load(std::memory_order_relaxed);
    while (value < now && !at.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
    }
#endif
}

/// Reads the shapes of a leaf into their slots. Returns the union of their valid boxes.
struct ShapesOfLeaf {
    ShapesView shapes;
    bool robust;
    View<const std::uint32_t> order;
    View<Primitive> primitives;

    TL_D Box operator()(std::uint32_t first, std::uint32_t count) const {
        Box box;
        for (std::uint32_t place = first; place < first + count; ++place) {
            Primitive p;
            Box b = read_shape(shapes, order[place], robust, p);
            store_vectorized(primitives[place], p);
            if (b.is_valid()) box.extend(b);
        }
        return box;
    }
};

/// Computes expansions bottom-up: the second thread to arrive at a node continues.
struct WindingMaker {
    RefitView tree;
    View<const Primitive> primitives;
    View<const vec3> edges;  ///< weights of boundary edges, or empty
    View<WindingMoments> moments;
    View<WindingNode> winding;

    /// Adds the moments of a subtree, which are about a centre of its own.
    TL_D static void add_moments(WindingMoments& to, const WindingMoments& from) {
        vec3 s = from.center - to.center;
        for (int j = 0; j < 3; ++j) {
            to.first[j] += from.first[j] + from.normal[j] * s;
            to.second[j].add(1, from.second[j]);
            to.second[j].add_outer(2, from.first[j], s);
            to.second[j].add_outer(from.normal[j], s, s);
        }
    }
    /// Returns a triangle's moments about its centroid, and the radius of its ball.
    TL_D static WindingMoments moments_of(const TriangleEdges& t) {
        WindingMoments moments{};
        moments.center = t.vertex + (t.edge1 + t.edge2) * (1.0f / 3.0f);
        moments.normal = 0.5f * glm::cross(t.edge1, t.edge2);
        moments.area = sqrtf(glm::dot(moments.normal, moments.normal));
        // The integral of d d^T is the area / 12 times the sum over the vertices of d d^T.
        vec3 corners[3] = {t.vertex - moments.center, t.vertex + t.edge1 - moments.center,
                           t.vertex + t.edge2 - moments.center};
        for (vec3 corner : corners)
            for (int j = 0; j < 3; ++j)
                moments.second[j].add_outer(moments.normal[j] / 12, corner, corner);
        for (vec3 corner : corners)
            moments.radius = maximum(moments.radius, sqrtf(glm::dot(corner, corner)));
        return moments;
    }
    /// The boundary length of the triangle in a slot.
    TL_D float boundary_of(std::uint32_t slot, const TriangleEdges& t) const {
        if (edges.empty()) return 0;
        return glm::dot(edges[slot], vec3(glm::length(t.edge1), glm::length(t.edge2 - t.edge1),
                                          glm::length(t.edge2)));
    }
    /// Calls use(moments) for each triangle of a leaf, or for a subtree.
    template <class Use>
    TL_D void for_each_part(NodeRef child, Use&& use) const {
        if (child.is_missing()) return;
        if (!child.is_leaf()) return use(load_fresh(&moments[child.node()]));
        for (std::uint32_t k = 0; k < child.count(); ++k) {
            const TriangleEdges t(primitives[child.first() + k]);
            WindingMoments one = moments_of(t);
            one.boundary = boundary_of(child.first() + k, t);
            use(one);
        }
    }
    /// Sets the node's moments from its leaves and from its children's moments.
    TL_D void combine(std::uint32_t i) const {
        const BvhNode& node = tree.nodes[i];
        Box box = node.box(0);
        if (!node.child1.is_missing()) box.extend(node.box(1));
        WindingMoments out{};
        // Relative to a corner, so that little is lost where coordinates are large.
        vec3 sum(0), corner = box.lo;
        for (int side = 0; side < 2; ++side)
            for_each_part(node.child(side), [&](const WindingMoments& part) {
                sum += part.area * (part.center - corner);
                out.area += part.area;
                out.normal += part.normal;
                out.boundary += part.boundary;
            });
        out.center = out.area > 0 ? corner + sum / out.area : box.center();
        // The smaller of two bounds: the balls of all parts, and the corners of the box.
        float radius = 0;
        for (int side = 0; side < 2; ++side)
            for_each_part(node.child(side), [&](const WindingMoments& part) {
                add_moments(out, part);
                vec3 offset = part.center - out.center;
                radius = maximum(radius, sqrtf(glm::dot(offset, offset)) + part.radius);
            });
        vec3 reach = glm::max(box.hi - out.center, out.center - box.lo);
        out.radius = minimum(radius * (1 + 1e-6f), sqrtf(glm::dot(reach, reach)));
        store_vectorized(moments[i], out);
        store_vectorized(winding[i], series_of(out));
    }
    TL_D void go_up_from(std::uint32_t i) const {
        const BvhNode& node = tree.nodes[i];
        auto is_inner = [](NodeRef child) { return !child.is_leaf() && !child.is_missing(); };
        int n_inner = is_inner(node.child0) + is_inner(node.child1);
        if (n_inner == 2) return;
        // A node with one inner child waits for it: its own arrival comes first or second.
        ParentRef at;
        if (n_inner == 1) {
            at.bits = atomic_flip(&tree.parents[i].bits, ParentRef::kArrivedBit);
            if (!at.arrived()) return;
        } else {
            at = tree.parents[i];
        }
        for (;;) {
            combine(i);
            if (at.is_root()) return;
            i = at.node();
            at.bits = atomic_flip(&tree.parents[i].bits, ParentRef::kArrivedBit);
            if (!at.arrived()) return;
        }
    }
};

}  // namespace

void find_bad_face(Stream& stream, const ShapesView& shapes, View<std::uint32_t> first_bad) {
    parallel_for(
        stream, "check faces", shapes.count, TL_LAMBDA(std::uint32_t i) {
            glm::uvec3 f = shapes.face(i);
            const std::uint32_t n = shapes.n_positions;
            if (f.x >= n || f.y >= n || f.z >= n) lower_to(first_bad.data, i);
        });
}

void pack_vectors(Stream& stream, const StridedFloats& from, View<vec3> to) {
    if (to.empty()) return;
    if (from.is_packed(3))
        return stream.device().copy(stream, to.data, from.data, to.size * sizeof(vec3));
    parallel_for(
        stream, "pack vectors", static_cast<std::uint32_t>(to.size),
        TL_LAMBDA(std::uint32_t i) { to[i] = from.vector(i); });
}

void pack_floats(Stream& stream, const StridedFloats& from, View<float> to) {
    parallel_for(
        stream, "pack floats", static_cast<std::uint32_t>(to.size),
        TL_LAMBDA(std::uint32_t i) { to[i] = from.at(i); });
}

void shape_boxes(Stream& stream, const ShapesView& shapes, View<Box> boxes) {
    parallel_for(
        stream, "shape boxes", shapes.count, TL_LAMBDA(std::uint32_t i) {
            Primitive p;
            boxes[i] = read_shape(shapes, i, false, p);
        });
}

void gather_shapes(Stream& stream, const ShapesView& shapes, bool robust,
                   View<const TreeHeader> header, const ShapesInLeaves& out) {
    fill(stream, out.place_of, 0xffffffffu);
    parallel_for(
        stream, "gather shapes", static_cast<std::uint32_t>(out.order.size),
        TL_LAMBDA(std::uint32_t place) {
            if (place >= header[0].n_places) return;
            Primitive p;
            read_shape(shapes, out.order[place], robust, p);
            store_vectorized(out.primitives[place], p);
            out.place_of[p.id] = place;
        });
}

void refit_shapes(Stream& stream, const ShapesView& shapes, bool robust, const RefitView& tree,
                  View<const std::uint32_t> order, View<Primitive> primitives) {
    refit_nodes(stream, tree, ShapesOfLeaf{shapes, robust, order, primitives});
}

void make_winding_nodes(Scratch& scratch, const RefitView& tree, View<const Primitive> primitives,
                        View<const vec3> edges, View<WindingNode> winding) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    WindingMaker maker{tree, primitives, edges, scratch.take<WindingMoments>(winding.size),
                       winding};
    parallel_for(
        stream, "winding nodes", static_cast<std::uint32_t>(tree.nodes.size),
        TL_LAMBDA(std::uint32_t i) {
            const TreeHeader& header = maker.tree.header[0];
            if (i < header.n_nodes && header.n_valid > 0) maker.go_up_from(i);
        });
}

void tree_bounds(Stream& stream, View<const BvhNode> nodes, View<const TreeHeader> header,
                 View<Box> box) {
    parallel_for(
        stream, "tree bounds", 1, TL_LAMBDA(std::uint32_t) {
            Box bounds;
            if (header[0].n_valid > 0) {
                const BvhNode& root = nodes[header[0].root];
                for (int side = 0; side < 2; ++side)
                    if (!root.child(side).is_missing() && root.box(side).lo.x < kInfinity)
                        bounds.extend(root.box(side));
            }
            box[0] = bounds;
        });
}

TL_DEVICE_END
