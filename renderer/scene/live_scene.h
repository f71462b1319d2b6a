// A scene on a device, with what moves in it and its tree, which is brought up to date for every
// frame.
#pragma once

#include <cstdint>
#include <memory>

#include "accel/parallel/stage_timer.h"
#include "accel/primitives.h"
#include "accel/tree.h"
#include "renderer/bezier/live_patches.h"
#include "renderer/scene/animation.h"
#include "renderer/scene/live_environment.h"
#include "renderer/scene/live_instances.h"
#include "renderer/scene/live_textures.h"
#include "renderer/scene/scene.h"
#include "renderer/scene/scene_view.h"

namespace tl {

class LiveScene {
  public:
    /// Copies the scene to the stream's device, both of which must outlive it. Throws UserError if
    /// it does not fit.
    LiveScene(Stream& stream, std::shared_ptr<const Scene> scene);

    /// The builder that `update` uses from now on.
    void set_builder(std::unique_ptr<TreeBuilder> builder) {
        builder_ = std::move(builder);
        tree_.invalidate();
        instances_.invalidate_trees();
    }
    [[nodiscard]] TreeBuilder& builder() { return *builder_; }

    /// Moves what moves to where it is at `time` (seconds; motion repeats after the scene's
    /// duration) and updates the tree as its policy asks: built over new boxes of the primitives,
    /// or refitted, or left as it is together with the scene. Then the primitives lie in leaf
    /// order. Never waits, and allocates nothing after the first time. The trees of instanced
    /// meshes are built anew when builder or settings have changed.
    void update(Scratch& scratch, StageTimer& timer, float time = 0);

    /// What the last update did.
    [[nodiscard]] UpdateKind update_kind() const { return update_kind_; }

    [[nodiscard]] const Scene& description() const { return *scene_; }
    [[nodiscard]] SceneView view() const;
    [[nodiscard]] Tree& tree() { return tree_; }
    [[nodiscard]] const Tree& tree() const { return tree_; }
    /// Triangles, spheres, pieces of patches and instances that the tree is built over.
    [[nodiscard]] std::uint32_t primitive_count() const { return n_primitives_; }
    /// Device memory of geometry, materials, textures and tree.
    [[nodiscard]] std::size_t bytes() const;

  private:
    void build_tree(Scratch& scratch, StageTimer& timer);
    void refit_tree(Scratch& scratch, StageTimer& timer);
    void update_boxes(Stream& stream, StageTimer& timer);
    /// Primitives that are no instances; they come first.
    [[nodiscard]] std::size_t n_own() const { return n_primitives_ - instances_.size(); }
    void gather(Stream& stream, StageTimer& timer);

    std::shared_ptr<const Scene> scene_;
    std::unique_ptr<TreeBuilder> builder_;
    std::uint32_t n_primitives_ = 0;
    std::uint32_t n_triangles_ = 0;  ///< without those of instanced meshes, which come after them

    DeviceArray<vec3> positions_, normals_;
    DeviceArray<vec2> uvs_;
    DeviceArray<glm::uvec3> triangles_;
    DeviceArray<std::int32_t> triangle_materials_;
    DeviceArray<SphereData> spheres_;
    DeviceArray<MaterialData> materials_;
    DeviceArray<std::uint32_t> media_;
    DeviceArray<LightData> lights_;
    LiveEnvironment environment_;
    LiveTextures textures_;
    LivePatches patches_;
    LiveInstances instances_;

    Animator animator_;
    UpdateKind update_kind_ = UpdateKind::none;
    DeviceArray<Box> boxes_;
    DeviceArray<Primitive> primitives_;
    Tree tree_;
};

}  // namespace tl
