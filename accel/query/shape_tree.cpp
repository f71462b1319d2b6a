#include "accel/query/shape_tree.h"

#include "accel/patch/cut_patches.h"
#include "accel/query/mesh_boundary.h"
#include "accel/query/shape_kernels.h"

namespace tl {

ShapeTree::ShapeTree(Device& device, const std::string& builder)
    : builder_id_(builder), builder_(make_tree_builder(builder, device)) {
    // Keeps what refits and winding numbers need.
    tree_.config.update = UpdatePolicy::refit;
}

ShapesView ShapeTree::keep_triangles(Stream& stream, const ShapesView& shapes, bool with_faces) {
    if (shapes.kind != ShapeKind::triangles) return shapes;
    triangles_ = shapes;
    vertices_.resize_discard(stream, shapes.n_positions);
    TL_DISPATCH(stream.device(), pack_vectors(stream, shapes.positions, vertices_.view()));
    triangles_.positions = StridedFloats::of(vertices_.view());
    if (with_faces) {
        faces_.resize_discard(stream, shapes.faces ? std::size_t{3} * shapes.count : 0);
        if (!faces_.empty())
            stream.device().copy(stream, faces_.data(), shapes.faces,
                                 faces_.size() * sizeof(std::uint32_t));
    }
    triangles_.faces = faces_.empty() ? nullptr : faces_.data();
    return triangles_;
}

ShapesView ShapeTree::keep_patches(Stream& stream, const ShapesView& shapes, bool cut) {
    auto& device = stream.device();
    vertices_.resize_discard(stream, std::size_t{PatchPoints::kCount} * shapes.count);
    TL_DISPATCH(device, pack_vectors(stream, shapes.positions, vertices_.view()));
    if (cut) {
        weights_.resize_discard(stream, shapes.weights.data ? vertices_.size() : 0);
        if (!weights_.empty())
            TL_DISPATCH(device, pack_floats(stream, shapes.weights, weights_.view()));
        auto points = vertices_.download(stream);
        auto weights = weights_.download(stream);
        // NaN leaves the patch out, as one piece.
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (!(weights[i] > 0 && weights[i] < kInfinity))
                points[i].x = weights[i] = std::numeric_limits<float>::quiet_NaN();
        const std::size_t n = count_pieces(points, flat_piece_of(device.kind()));
        if (n > kMaxPrimitives)
            throw UserError("the patches bend too much: a tree has at most " +
                            std::to_string(kMaxPrimitives) + " pieces of patches, and these need " +
                            std::to_string(n));
        patches_ = PatchPieces(stream, points, weights);
    }
    patches_.update(stream, vertices_.view());
    ShapesView pieces;
    pieces.kind = ShapeKind::patches;
    pieces.count = static_cast<std::uint32_t>(patches_.size());
    pieces.piece_boxes = patches_.boxes().data;
    return pieces;
}

ShapesView ShapeTree::keep(Stream& stream, const ShapesView& shapes, bool builds) {
    return shapes.kind == ShapeKind::patches ? keep_patches(stream, shapes, builds)
                                             : keep_triangles(stream, shapes, builds);
}

void ShapeTree::build(Scratch& scratch, const ShapesView& given, bool check_faces) {
    auto& stream = scratch.stream();
    auto& device = stream.device();
    Scratch::Scope scope(scratch);
    tree_.invalidate();
    count_ = 0;
    kind_ = given.kind;
    has_winding_ = false;
    boundary_.resize_discard(stream, 0);
    masks_.resize_discard(stream, 0);
    if (check_faces && given.faces && given.count > 0) {
        std::uint32_t bad = Hit::kNone;
        auto first_bad = scratch.take<std::uint32_t>(1);
        device.upload(stream, first_bad.data, &bad, sizeof bad);
        TL_DISPATCH(device, find_bad_face(stream, given, first_bad));
        device.download(stream, &bad, first_bad.data, sizeof bad);
        if (bad != Hit::kNone)
            throw UserError("face " + std::to_string(bad) +
                            " names a vertex that is not there: "
                            "there are " +
                            std::to_string(given.n_positions) + " vertices");
    }
    const ShapesView shapes = keep(stream, given, true);
    auto boxes = scratch.take<Box>(shapes.count);
    TL_DISPATCH(device, shape_boxes(stream, shapes, boxes));
    BuildInput input;
    input.boxes = boxes;
    if (kind_ == ShapeKind::patches) input.leaf_limit = 1;
    tree_.build(scratch, *builder_, input);
    primitives_.resize_discard(stream, tree_.order().size);
    place_of_.resize_discard(stream, shapes.count);
    TL_DISPATCH(device, gather_shapes(stream, shapes, tree_.config.robust, tree_.header(),
                                      {tree_.order(), primitives_.view(), place_of_.view()}));
    tree_.take_primitives(primitives_.view());
    count_ = given.count;
}

void ShapeTree::refit(Scratch& scratch, const ShapesView& given) {
    auto& stream = scratch.stream();
    if (given.kind != kind_ || given.count != count_ ||
        (kind_ == ShapeKind::triangles && given.n_positions != triangles_.n_positions))
        throw UserError(
            "a refit needs as many primitives and vertices as the build, of the same "
            "kind: " +
            std::to_string(count_) + " primitives");
    has_winding_ = false;
    boundary_.resize_discard(stream, 0);
    if (count_ == 0) return;
    const ShapesView shapes = keep(stream, given, false);
    TL_DISPATCH(stream.device(),
                refit_shapes(stream, shapes, tree_.config.robust, tree_.refit_view(), tree_.order(),
                             primitives_.view()));
    tree_.finish_refit(scratch);
    tree_.take_primitives(primitives_.view());
}

void ShapeTree::set_masks(Stream& stream, View<const std::uint32_t> masks) {
    masks_.resize_discard(stream, masks.size);
    if (!masks.empty())
        stream.device().copy(stream, masks_.data(), masks.data, masks.size * sizeof(std::uint32_t));
}

void ShapeTree::prepare_winding(Scratch& scratch) {
    auto& stream = scratch.stream();
    winding_.resize_discard(stream, tree_.nodes().size());
    TL_DISPATCH(stream.device(), make_winding_nodes(scratch, tree_.refit_view(), primitives_.view(),
                                                    boundary_.view(), winding_.view()));
    has_winding_ = true;
}

void ShapeTree::prepare_signs(Scratch& scratch) {
    auto& stream = scratch.stream();
    boundary_.resize_discard(stream, primitives_.size());
    TL_DISPATCH(stream.device(), find_boundary_edges(scratch, view(), boundary_.view()));
    prepare_winding(scratch);
}

ShapeTreeView ShapeTree::view() const {
    ShapeTreeView view{kind_, tree_.view(primitives_.data()), place_of_.view(),
                       masks_.empty() ? nullptr : masks_.data(), triangles_};
    if (kind_ == ShapeKind::patches) view.tree.patches = patches_.view();
    return view;
}

bool ShapeTree::has_whole_shapes() const {
    const std::size_t n = kind_ == ShapeKind::patches ? patches_.size() : count_;
    return tree_.config.presplit == 0 && builder_->max_references(n) <= n;
}

std::size_t ShapeTree::bytes() const {
    return tree_.bytes() + vertices_.bytes() + faces_.bytes() + primitives_.bytes() +
           place_of_.bytes() + masks_.bytes() + winding_.bytes() + boundary_.bytes() +
           patches_.bytes() + weights_.bytes();
}

HostShapes ShapeTree::download(Stream& stream) const {
    HostShapes shapes;
    shapes.kind = kind_;
    shapes.count = count_;
    if (count_ == 0) return shapes;
    if (kind_ == ShapeKind::triangles) {
        shapes.positions = vertices_.download(stream);
        shapes.faces = faces_.download(stream);
        return shapes;
    }
    if (kind_ == ShapeKind::patches) {
        shapes.positions = vertices_.download(stream);
        shapes.weights = weights_.download(stream);
        return shapes;
    }
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    shapes.positions.resize(count_, vec3(kNan));
    if (kind_ == ShapeKind::boxes)
        shapes.upper.resize(count_, vec3(kNan));
    else
        shapes.radii.resize(count_, kNan);
    TreeHeader header;
    stream.device().download(stream, &header, tree_.header().data, sizeof header);
    auto primitives = primitives_.download(stream);
    primitives.resize(header.n_places);
    for (const Primitive& p : primitives) {
        shapes.positions[p.id] = p.vertex;
        if (kind_ == ShapeKind::boxes)
            shapes.upper[p.id] = p.edge1;
        else
            shapes.radii[p.id] = p.edge1.x;
    }
    return shapes;
}

}  // namespace tl
