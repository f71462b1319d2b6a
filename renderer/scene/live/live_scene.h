// A scene on a device, with what moves in it and its tree, which is brought up to date for every
// frame.
#pragma once

#include <cstdint>
#include <memory>

#include "accel/parallel/stage_timer.h"
#include "accel/primitives.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/live_environment.h"
#include "renderer/scene/live/live_instances.h"
#include "renderer/scene/live/live_patches.h"
#include "renderer/scene/live/live_textures.h"
#include "renderer/scene/live/scene_tree.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

class LiveScene {
  public:
    /// Copies the scene to the stream's device, both of which must outlive it. Throws UserError if
    /// it does not fit.
    LiveScene(Stream& stream, std::shared_ptr<const Scene> scene);

    /// The builder that `update` uses from now on.
    void set_builder(std::unique_ptr<TreeBuilder> builder) {
        builder_ = std::move(builder);
        invalidate_tree();
        instances_.invalidate_trees();
    }
    [[nodiscard]] TreeBuilder& builder() { return *builder_; }
    /// How the next update makes the tree.
    [[nodiscard]] SceneTreeConfig& tree_config() { return config_; }
    /// The next update builds; to be called when the builder's settings have changed.
    void invalidate_tree() { trees_.invalidate(); }

    /// Moves what moves to where it is at `time` (seconds; motion repeats after the scene's
    /// duration) and updates the tree as its policy asks: built over new boxes of the primitives,
    /// or refitted, or left as it is together with the scene. Then the primitives lie in leaf
    /// order. Never waits, and allocates nothing after the first time. The trees of instanced
    /// meshes are built anew when builder or settings have changed.
    void update(Scratch& scratch, StageTimer& timer, float time = 0);

    /// Whether frames may take turns: where the config says so, a tree has been built and is to be
    /// built for every frame, and an update writes nothing but it and vertices: there are no
    /// instances and no patches.
    [[nodiscard]] bool can_build_ahead() const;
    /// The next update writes, and views show from now on, the copy of tree and vertices that was
    /// not in use for the last one, so that this one can still be traced. Work of `stream`, which
    /// is to be the next update's, must come after what reads that copy; the first time, when the
    /// copy is made, after all that has been given. Throws UserError where a copy does not fit.
    void take_turn(Stream& stream) { trees_.take_turn(stream); }
    /// Back to one copy, which the next update writes. Nothing may be reading either.
    void end_turns() { trees_.end_turns(); }
    [[nodiscard]] bool taking_turns() const { return trees_.taking_turns(); }

    /// What the last update did.
    [[nodiscard]] UpdateKind update_kind() const { return update_kind_; }

    [[nodiscard]] const Scene& description() const { return *scene_; }
    [[nodiscard]] SceneView view() const;
    /// That of the newest update.
    [[nodiscard]] const Tree& tree() const { return trees_.newest().tree; }
    /// Triangles, spheres, pieces of patches and instances that the tree is built over.
    [[nodiscard]] std::uint32_t primitive_count() const { return n_primitives_; }
    /// Device memory of geometry, materials, textures and trees.
    [[nodiscard]] std::size_t bytes() const;
    /// Of it, what each copy takes while frames take turns.
    [[nodiscard]] std::size_t bytes_of_turn() const { return trees_.newest().bytes(); }

  private:
    void build_tree(Scratch& scratch, StageTimer& timer);
    void refit_tree(Scratch& scratch, StageTimer& timer);
    void update_boxes(Stream& stream, StageTimer& timer);
    /// Primitives that are no instances; they come first.
    [[nodiscard]] std::size_t n_own() const { return n_primitives_ - instances_.size(); }
    void gather(Stream& stream, StageTimer& timer);

    std::shared_ptr<const Scene> scene_;
    std::unique_ptr<TreeBuilder> builder_;
    SceneTreeConfig config_;
    std::uint32_t n_primitives_ = 0;
    std::uint32_t n_triangles_ = 0;  ///< without those of instanced meshes, which come after them

    DeviceArray<vec2> uvs_;
    DeviceArray<glm::uvec3> triangles_;
    DeviceArray<std::int32_t> triangle_materials_;
    DeviceArray<SphereData> spheres_;
    DeviceArray<MaterialData> materials_;
    DeviceArray<std::uint32_t> media_;
    DeviceArray<LightData> lights_;
    DeviceArray<std::int32_t> material_lights_;
    LiveEnvironment environment_;
    LiveTextures textures_;
    LivePatches patches_;
    LiveInstances instances_;

    Animator animator_;
    UpdateKind update_kind_ = UpdateKind::none;
    DeviceArray<Box> boxes_;  ///< read by builds and refits alone
    SceneTrees trees_;
};

}  // namespace tl
