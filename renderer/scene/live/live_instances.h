// A scene's instances on a device: a tree for each instanced mesh, built when there is a reason to,
// and for every frame the transforms of the instances and their boxes for the tree above.
#pragma once

#include <string>
#include <vector>

#include "accel/tree.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LiveInstances {
  public:
    LiveInstances() = default;
    /// `first_triangle`: where the triangles of each of the scene's meshes start on the device. The
    /// scene was checked by check_instances.
    LiveInstances(Stream& stream, const Scene& scene,
                  const std::vector<std::uint32_t>& first_triangle);

    [[nodiscard]] std::size_t size() const { return sources_.size(); }
    [[nodiscard]] bool empty() const { return sources_.empty(); }

    /// Whether meshes' trees are yet to be built, settings have changed since, or meshes move.
    [[nodiscard]] bool trees_are_stale(TreeBuilder& builder, TreeConfig config) const;
    /// The next frame builds the meshes' trees anew.
    void invalidate_trees() { built_with_.clear(); }
    /// Builds the trees of the instanced meshes for which that holds, in their own space.
    /// `geometry` needs its meshes alone.
    void build_trees(Scratch& scratch, TreeBuilder& builder, TreeConfig config,
                     const SceneView& geometry);

    /// Places all instances as they are at `phase` (0 to 1) of Scene::duration and writes their
    /// boxes; never waits. The meshes' trees are built.
    void update(Stream& stream, float phase, View<Box> boxes);

    /// Adds what kernels need of instances; nothing where there are none.
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
    std::string built_with_;                 ///< settings that the trees were built with
    std::vector<InstancedMesh> host_views_;  ///< what mesh_views_ holds
    DeviceArray<InstancedMesh> mesh_views_;
    DeviceArray<InstanceSource> sources_;
    DeviceArray<InstanceData> data_;
    DeviceArray<InstanceShading> shading_;
};

}  // namespace tl
