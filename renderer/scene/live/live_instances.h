// A scene's instances on a device: a tree for each instanced mesh, rebuilt when needed, and for
// every frame the transforms of the instances and their boxes for the top-level tree.
#pragma once

#include <optional>
#include <vector>

#include "accel/tree.h"
#include "core/base/read_progress.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LiveInstances {
  public:
    LiveInstances() = default;
    /// `first_triangle`: index on the device of the first triangle of each of the scene's meshes.
    /// `first_light`: InstanceShading::first_light of each instance. The scene must have passed
    /// check_instances.
    LiveInstances(Stream& stream, const Scene& scene,
                  const std::vector<std::uint32_t>& first_triangle,
                  const std::vector<std::int32_t>& first_light);

    [[nodiscard]] std::size_t size() const { return sources_.size(); }
    [[nodiscard]] bool empty() const { return sources_.empty(); }

    /// Whether meshes' trees must be built: not built yet, invalidated, the config has changed, or
    /// meshes move.
    [[nodiscard]] bool trees_are_stale(const TreeConfig& config) const;
    /// Makes the next frame rebuild the meshes' trees.
    void invalidate_trees() { built_with_.reset(); }
    /// Builds the stale trees of instanced meshes, in object space. Uses only the meshes of
    /// `geometry`.
    void build_trees(Scratch& scratch, TreeBuilder& builder, const TreeConfig& config,
                     const SceneView& geometry, const ReadProgress& progress);

    /// Computes transforms and boxes of all instances for `phase` (0 to 1) of Scene::duration;
    /// never waits. The meshes' trees must have been built.
    void update(Stream& stream, float phase, View<Box> boxes);

    /// Adds the instances to `view`, if there are any.
    void show(SceneView& view) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct MeshTree {
        std::uint32_t first_triangle, n_triangles;
        bool moves;
        Tree tree;
        DeviceArray<Primitive> primitives;
    };

    /// Builds one tree.
    static InstancedMesh build(Scratch& scratch, TreeBuilder& builder, MeshTree& mesh,
                               const SceneView& geometry);

    std::vector<MeshTree> meshes_;
    bool meshes_move_ = false;
    /// Config of the built trees; none where they are not built.
    std::optional<TreeConfig> built_with_;
    std::vector<InstancedMesh> host_views_;  ///< host copy of mesh_views_
    DeviceArray<InstancedMesh> mesh_views_;
    DeviceArray<InstanceSource> sources_;
    DeviceArray<InstanceData> data_;
    DeviceArray<InstanceShading> shading_;
};

}  // namespace tl
