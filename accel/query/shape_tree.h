// A tree over shapes of a caller's own arrays, as the library's queries search it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accel/patch/patch_pieces.h"
#include "accel/query/shapes.h"
#include "accel/query/winding_nodes.h"
#include "accel/tree.h"

namespace tl {

/// All that a query's kernel needs of a tree of shapes.
struct ShapeTreeView {
    ShapeKind kind = ShapeKind::triangles;
    TreeView tree;
    View<const std::uint32_t> place_of;    ///< leaf slot of each shape, ~0 for one left out
    const std::uint32_t* masks = nullptr;  ///< of each shape; null: all bits are set
    ShapesView triangles;                  ///< the triangles' own vertices and faces
};

/// Shapes in host memory. Those that a tree has left out are NaN.
struct HostShapes {
    ShapeKind kind = ShapeKind::triangles;
    std::uint64_t count = 0;
    std::vector<vec3> positions;       ///< vertices, lower corners, centres, or control points
    std::vector<std::uint32_t> faces;  ///< empty: each triangle has its own three vertices
    std::vector<vec3> upper;           ///< of boxes
    std::vector<float> radii;          ///< of spheres
    std::vector<float> weights;        ///< of control points; empty: none is rational
};

/// Owns a tree and its shapes in device memory; the arrays that it was built from are not kept.
/// Builds, refits and masks run on the scratch's stream, without waiting except where said.
class ShapeTree {
  public:
    /// Throws UsageError for an unknown builder.
    ShapeTree(Device& device, const std::string& builder);

    [[nodiscard]] TreeConfig& config() { return tree_.config; }
    [[nodiscard]] TreeBuilder& builder() { return *builder_; }
    [[nodiscard]] const std::string& builder_id() const { return builder_id_; }

    /// Rebuilds the tree. With `check_faces` waits, and throws UserError for a face that names no
    /// vertex; the tree is then empty. Otherwise such faces are left out.
    void build(Scratch& scratch, const ShapesView& given, bool check_faces);
    /// Moves the shapes of the last build; triangles keep their faces, patches their weights and
    /// their pieces. Throws UserError if the kind, or the number of shapes or of vertices, differs
    /// from it.
    void refit(Scratch& scratch, const ShapesView& given);
    /// A mask for each shape, or none.
    void set_masks(Stream& stream, View<const std::uint32_t> masks);
    /// Computes the expansions of winding numbers. Triangles only.
    void prepare_winding(Scratch& scratch);
    /// The same with the mesh's boundary, which signs of grids need.
    void prepare_signs(Scratch& scratch);
    /// Whether the expansions are those of the current shapes.
    [[nodiscard]] bool has_winding() const { return has_winding_; }
    /// The same with the boundary.
    [[nodiscard]] bool has_signs() const { return has_winding_ && !boundary_.empty(); }

    [[nodiscard]] ShapeTreeView view() const;
    [[nodiscard]] View<const WindingNode> winding_nodes() const { return winding_.view(); }
    /// Weights of boundary edges by slot (mesh_boundary.h); empty before prepare_signs().
    [[nodiscard]] View<const vec3> boundary() const { return boundary_.view(); }
    [[nodiscard]] ShapeKind kind() const { return kind_; }
    [[nodiscard]] std::size_t count() const { return count_; }
    /// Whether each shape stands in one leaf, so that searches find it once.
    [[nodiscard]] bool has_whole_shapes() const;
    [[nodiscard]] Tree& tree() { return tree_; }
    [[nodiscard]] std::size_t bytes() const;
    /// Copies the current shapes to the host. Waits.
    [[nodiscard]] HostShapes download(Stream& stream) const;

  private:
    /// Copies the vertices and, unless they have been given before, the faces of triangles. Returns
    /// the shapes to read: the copies, or those given of other kinds.
    ShapesView keep_triangles(Stream& stream, const ShapesView& shapes, bool with_faces);
    /// Copies the control points and, for a build, cuts the patches, for which it waits. Returns
    /// the pieces as the shapes to read.
    ShapesView keep_patches(Stream& stream, const ShapesView& shapes, bool cut);
    /// The shapes that the tree is to be built over or refitted to.
    ShapesView keep(Stream& stream, const ShapesView& shapes, bool builds);

    std::string builder_id_;
    std::unique_ptr<TreeBuilder> builder_;
    Tree tree_;
    ShapeKind kind_ = ShapeKind::triangles;
    std::size_t count_ = 0;
    ShapesView triangles_;        ///< view of vertices_ and faces_
    DeviceArray<vec3> vertices_;  ///< or control points
    DeviceArray<std::uint32_t> faces_;
    DeviceArray<Primitive> primitives_;  ///< in leaf order
    DeviceArray<std::uint32_t> place_of_, masks_;
    PatchPieces patches_;
    DeviceArray<float> weights_;        ///< of control points
    DeviceArray<WindingNode> winding_;  ///< of each inner node
    DeviceArray<vec3> boundary_;
    bool has_winding_ = false;
};

}  // namespace tl
