#include "renderer/scene/live/live_instances.h"

#include "renderer/scene/instances.h"
#include "renderer/scene/live/kernels/scene_kernels.h"

namespace tl {

LiveInstances::LiveInstances(Stream& stream, const Scene& scene,
                             const std::vector<std::uint32_t>& first_triangle,
                             const std::vector<std::int32_t>& first_light) {
    if (scene.instances.empty()) return;
    std::vector<std::uint32_t> tree_of(scene.meshes.size(), Hit::kNone);
    std::vector<InstanceSource> sources;
    sources.reserve(scene.instances.size());
    for (auto& instance : scene.instances) {
        std::uint32_t& tree = tree_of[instance.mesh];
        if (tree == Hit::kNone) {
            tree = static_cast<std::uint32_t>(meshes_.size());
            auto& mesh = meshes_.emplace_back();
            mesh.first_triangle = first_triangle[instance.mesh];
            mesh.n_triangles =
                static_cast<std::uint32_t>(scene.meshes[instance.mesh].triangles.size());
            mesh.moves = scene.meshes[instance.mesh].animation.kind != AnimationKind::none;
            meshes_move_ = meshes_move_ || mesh.moves;
        }
        InstanceSource source{};
        source.object_to_world = AffineRows::of(instance.transform);
        source.world_to_object = AffineRows::of(inverse_transform(instance.transform));
        source.mesh = tree;
        source.material = instance.material;
        source.is_identity = instance.transform == mat4(1);
        source.first_light = first_light[sources.size()];
        source.walk = cycle_of(instance.walk, scene.duration);
        sources.push_back(source);
    }
    sources_.assign(stream, sources);
    data_.resize_discard(stream, sources.size());
    shading_.resize_discard(stream, sources.size());
}

bool LiveInstances::trees_are_stale(const TreeConfig& config) const {
    return !empty() && (meshes_move_ || built_with_ != config);
}

InstancedMesh LiveInstances::build(Scratch& scratch, TreeBuilder& builder, MeshTree& mesh,
                                   const SceneView& geometry) {
    auto& stream = scratch.stream();
    SceneView own = geometry;
    own.triangles += mesh.first_triangle;
    own.n_triangles = mesh.n_triangles;
    own.n_spheres = 0;
    own.splats = {};
    Scratch::Scope scope(scratch);
    auto boxes = scratch.take<Box>(mesh.n_triangles);
    TL_DISPATCH(stream.device(), primitive_boxes(stream, own, boxes));
    BuildInput input;
    input.boxes = boxes;
    input.triangles = {own.positions, own.triangles, own.n_triangles};
    mesh.tree.build(scratch, builder, input);
    mesh.primitives.resize_discard(stream, mesh.tree.order().size);
    TL_DISPATCH(stream.device(), gather_primitives(stream, own, mesh.tree.order(),
                                                   mesh.tree.header(), mesh.primitives.view()));
    return {mesh.tree.view(mesh.primitives.data()).bvh2, mesh.primitives.data(),
            mesh.first_triangle};
}

void LiveInstances::build_trees(Scratch& scratch, TreeBuilder& builder, const TreeConfig& config,
                                const SceneView& geometry, const ReadProgress& progress) {
    bool all = built_with_ != config;
    built_with_.reset();  // set again once all are built
    bool moved_in_memory = all;
    host_views_.resize(meshes_.size());
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
        if (!all && !meshes_[i].moves) continue;
        progress.report_work("building the trees of instances",
                             static_cast<double>(i) / static_cast<double>(meshes_.size()));
        TreeConfig& own = meshes_[i].tree.config;
        own = config;
        own.update = UpdatePolicy::once;
        own.layout = TreeLayout::bvh2;  // layout required by InstanceData
        InstancedMesh view = build(scratch, builder, meshes_[i], geometry);
        InstancedMesh& before = host_views_[i];
        moved_in_memory = moved_in_memory || view.tree.nodes != before.tree.nodes ||
                          view.primitives != before.primitives;
        before = view;
    }
    if (moved_in_memory) mesh_views_.assign(scratch.stream(), host_views_);
    built_with_ = config;
}

void LiveInstances::update(Stream& stream, float phase, View<Box> boxes) {
    InstanceUpdate update{phase,        sources_.view(), mesh_views_.view(),
                          data_.view(), shading_.view(), boxes};
    TL_DISPATCH(stream.device(), update_instances(stream, update));
}

void LiveInstances::show(SceneView& view) const {
    view.tree.instances = data_.data();
    view.instances = shading_.data();
}

std::size_t LiveInstances::bytes() const {
    std::size_t sum = mesh_views_.bytes() + sources_.bytes() + data_.bytes() + shading_.bytes();
    for (auto& mesh : meshes_) sum += mesh.tree.bytes() + mesh.primitives.bytes();
    return sum;
}

}  // namespace tl
