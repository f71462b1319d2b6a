// Kernels over the shapes of a tree: boxes for its builder, shapes in leaf order, and refits.
#pragma once

#include "accel/bvh/passes/refit.h"
#include "accel/query/shapes.h"
#include "accel/query/winding_nodes.h"

namespace tl {

/// Output arrays for the shapes of a tree.
struct ShapesInLeaves {
    View<const std::uint32_t> order;
    View<Primitive> primitives;    ///< in leaf order
    View<std::uint32_t> place_of;  ///< leaf slot of each shape; ~0 for one left out
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets first_bad[0], ~0 at the start, to the first face that names no vertex.
    void find_bad_face(Stream& stream, const ShapesView& shapes, View<std::uint32_t> first_bad);
    /// Copies vectors to an array without gaps.
    void pack_vectors(Stream& stream, const StridedFloats& from, View<vec3> to);
    void pack_floats(Stream& stream, const StridedFloats& from, View<float> to);
    void shape_boxes(Stream& stream, const ShapesView& shapes, View<Box> boxes);
    /// Writes the shapes of a tree that has just been built.
    void gather_shapes(Stream& stream, const ShapesView& shapes, bool robust,
                       View<const TreeHeader> header, const ShapesInLeaves& out);
    /// Refits the tree's boxes to the shapes, and writes these in leaf order.
    void refit_shapes(Stream& stream, const ShapesView& shapes, bool robust, const RefitView& tree,
                      View<const std::uint32_t> order, View<Primitive> primitives);
    /// Computes the expansions of all nodes of a tree of triangles. `edges`: weights of boundary
    /// edges by slot, as of find_boundary_edges(), or empty.
    void make_winding_nodes(Scratch& scratch, const RefitView& tree,
                            View<const Primitive> primitives, View<const vec3> edges,
                            View<WindingNode> winding);
    /// Sets box[0] to the bounds of the tree; empty for an empty tree.
    void tree_bounds(Stream& stream, View<const BvhNode> nodes, View<const TreeHeader> header,
                     View<Box> box);
)
// clang-format on
