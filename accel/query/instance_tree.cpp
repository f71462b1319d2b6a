#include "accel/query/instance_tree.h"

#include <glm/matrix.hpp>

namespace tl {
namespace {

/// The inverse of an affine matrix; NaN for a singular one.
AffineRows inverse_of(const AffineRows& m) {
    using Mat = glm::mat<4, 4, double>;
    Mat columns(1.0);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) columns[c][r] = m.rows[r][c];
    if (glm::determinant(glm::mat<3, 3, double>(columns)) == 0) columns[0][0] = NAN;
    return AffineRows::of(mat4(glm::inverse(columns)));
}

}  // namespace

InstanceTree::InstanceTree(Device& device, const std::string& builder)
    : builder_(make_tree_builder(builder, device)) {
    tree_.config.update = UpdatePolicy::refit;
}

void InstanceTree::place(Scratch& scratch, std::span<const InstanceOf> instances) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    std::vector<PlacedInstance> placed;
    placed.reserve(instances.size());
    is_robust_ = false;
    holds_whole_shapes_ = true;
    for (const auto& instance : instances) {
        const ShapeTreeView view = instance.shapes->view();
        is_robust_ = is_robust_ || view.tree.robust;
        holds_whole_shapes_ = holds_whole_shapes_ && instance.shapes->has_whole_shapes();
        placed.push_back({instance.object_to_world,
                          inverse_of(instance.object_to_world),
                          view.tree.bvh2,
                          view.tree.primitives,
                          view.place_of.data,
                          static_cast<std::uint32_t>(view.kind),
                          {}});
    }
    auto on_device = scratch.take<PlacedInstance>(placed.size());
    boxes_.resize_discard(stream, placed.size());
    data_.resize_discard(stream, placed.size());
    shapes_.resize_discard(stream, placed.size());
    if (placed.empty()) return;
    stream.device().upload(stream, on_device.data, placed.data(),
                           placed.size() * sizeof(PlacedInstance));
    TL_DISPATCH(stream.device(),
                place_instances(stream, on_device, boxes_.view(), data_.view(), shapes_.view()));
}

void InstanceTree::gather(Stream& stream) {
    TL_DISPATCH(stream.device(),
                gather_instances(stream, tree_.header(), tree_.order(), primitives_.view()));
}

void InstanceTree::build(Scratch& scratch, std::span<const InstanceOf> instances) {
    place(scratch, instances);
    BuildInput input;
    input.boxes = boxes_.view();
    input.has_instances = true;
    input.leaf_limit = 1;
    tree_.build(scratch, *builder_, input);
    primitives_.resize_discard(scratch.stream(), tree_.order().size);
    gather(scratch.stream());
}

void InstanceTree::refit(Scratch& scratch, std::span<const InstanceOf> instances) {
    if (instances.size() != count())
        throw UserError("a refit needs as many instances as the build: " + std::to_string(count()));
    place(scratch, instances);
    if (!instances.empty()) tree_.refit(scratch, boxes_.view());
}

RayTree InstanceTree::view() const {
    RayTree view;
    view.shapes.tree = tree_.view(primitives_.data());
    view.shapes.tree.robust = is_robust_;
    view.shapes.tree.instances = data_.data();
    view.instances = shapes_.data();
    return view;
}

bool InstanceTree::has_whole_shapes() const {
    return holds_whole_shapes_ && tree_.config.presplit == 0 &&
           builder_->max_references(count()) <= count();
}

std::size_t InstanceTree::bytes() const {
    return tree_.bytes() + boxes_.bytes() + data_.bytes() + shapes_.bytes() + primitives_.bytes();
}

}  // namespace tl
