// A scene's instances on a device: a tree for each instanced mesh, built when there is a reason to,
// and for every frame the transforms of the instances and their boxes for the tree above.
#pragma once

#include <string>
#include <vector>

#include "accel/tree.h"
#include "renderer/scene/scene_view.h"

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

    /// Whether the meshes' trees are yet to be built, or settings have changed since.
    [[nodiscard]] bool trees_are_stale(TreeBuilder& builder, TreeConfig config) const;
    /// The next frame builds the meshes' trees anew.
    void invalidate_trees() { built_with_.clear(); }
    /// Builds the trees of all instanced meshes, in their own space. `geometry` needs its meshes
    /// alone.
    void build_trees(Scratch& scratch, TreeBuilder& builder, TreeConfig config,
                     const SceneView& geometry);

    /// Whether any of them walks.
    [[nodiscard]] bool move() const { return move_; }
    /// Places all instances as they are at `phase` (0 to 1) of Scene::duration and writes their
    /// boxes; never waits. The meshes' trees are built.
    void update(Stream& stream, float phase, View<Box> boxes);

    /// Adds what kernels need of instances; nothing where there are none.
    void show(SceneView& view) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct MeshTree {
        std::uint32_t first_triangle, n_triangles;
        Tree tree;
        DeviceArray<Primitive> primitives;
    };

    std::vector<MeshTree> meshes_;
    bool move_ = false;
    std::string built_with_;  ///< settings that the trees were built with
    DeviceArray<InstancedMesh> mesh_views_;
    DeviceArray<InstanceSource> sources_;
    DeviceArray<InstanceData> data_;
    DeviceArray<InstanceShading> shading_;
};

}  // namespace tl
