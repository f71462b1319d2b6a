// A scene on a device, with its animation and its tree, which are updated for every frame.
#pragma once

#include <cstdint>
#include <memory>

#include "accel/parallel/stage_timer.h"
#include "accel/primitives.h"
#include "renderer/optics/ggx_tables.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/live_environment.h"
#include "renderer/scene/live/live_gaussians.h"
#include "renderer/scene/live/live_instances.h"
#include "renderer/scene/live/live_lights.h"
#include "renderer/scene/live/live_patches.h"
#include "renderer/scene/live/live_splats.h"
#include "renderer/scene/live/live_textures.h"
#include "renderer/scene/live/medium_boxes.h"
#include "renderer/scene/live/scene_tree.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

class LiveScene {
  public:
    /// Copies the scene to the stream's device, both of which must outlive it. Throws UserError if
    /// it does not fit.
    LiveScene(Stream& stream, std::shared_ptr<const Scene> scene);

    /// Takes materials, lights and environment anew from the description, which has been edited
    /// (scene_edits.h); its geometry, the surfaces of lights included, and its textures must be as
    /// they were, and there may be no instances where surfaces glow. The trees stay, and the
    /// environment unless `environment`. No work may be reading the scene. Throws UserError, and
    /// changes nothing, if what is copied does not fit.
    void refresh_shading(Stream& stream, bool environment);

    /// The builder that `update` uses from now on.
    void set_builder(std::unique_ptr<TreeBuilder> builder) {
        builder_ = std::move(builder);
        invalidate_tree();
    }
    [[nodiscard]] TreeBuilder& builder() { return *builder_; }
    /// The settings for the tree in the next update.
    [[nodiscard]] SceneTreeConfig& tree_config() { return config_; }
    /// Makes the next update rebuild all trees; must be called when the builder's settings have
    /// changed.
    void invalidate_tree() {
        trees_.invalidate();
        instances_.invalidate_trees();
        gaussians_.invalidate();
    }

    /// Moves animated geometry to `time` (seconds; motion repeats after the scene's duration) and
    /// updates the tree by its policy: rebuilt over new boxes of the primitives, refitted, or left
    /// unchanged with the scene, as where nothing moves. Then stores the primitives in leaf order.
    /// Never waits, and allocates only the first time. The trees of instanced meshes are rebuilt
    /// when builder or settings have changed.
    void update(Scratch& scratch, StageTimer& timer, float time = 0);

    /// Whether a frame's tree may be built while the last frame is traced: the config allows it, a
    /// tree exists and is rebuilt every frame, and updates write only the tree and vertices: there
    /// are no instances, no patches, no Gaussians (they have one tree) and no lights that move.
    [[nodiscard]] bool can_build_ahead(const Device& device) const;
    /// Swaps the two copies of tree and vertices: views show and the next update writes the copy
    /// that was not in use, so that the other can still be traced. Work on `stream`, that of the
    /// next update, must come after all reads of that copy; the first time, when the copy is made,
    /// after all earlier work. Throws UserError where a copy does not fit.
    void take_turn(Stream& stream) { trees_.take_turn(stream); }
    /// Returns to one copy, which the next update writes. No work may be reading either copy.
    void end_turns() { trees_.end_turns(); }
    [[nodiscard]] bool taking_turns() const { return trees_.taking_turns(); }

    /// Whether a dielectric that changes light along paths from `point` may contain it at a time,
    /// seconds.
    [[nodiscard]] bool may_be_in_medium(vec3 point, float time) const {
        return medium_boxes_.contain(point, time);
    }
    /// SceneView::camera_media of later views: in memory of the device, which must outlive them.
    void set_camera_media(const std::uint32_t* media) { camera_media_ = media; }

    /// Whether some lights move with the geometry.
    [[nodiscard]] bool lights_move() const { return lights_.move(); }

    /// The kind of the last update.
    [[nodiscard]] UpdateKind update_kind() const { return update_kind_; }

    /// The scene at rest, in host memory.
    [[nodiscard]] const Scene& description() const { return *scene_; }
    /// Bounds of all geometry at rest; empty for an empty scene.
    [[nodiscard]] const Box& bounds_at_rest() const { return bounds_at_rest_; }
    /// The scene for kernels, as of the newest update; updates move what it points to.
    [[nodiscard]] SceneView view() const;
    /// The tree of the newest update.
    [[nodiscard]] const Tree& tree() const { return trees_.newest().tree; }
    /// The number of triangles, spheres, splats, patch pieces and instances that the tree is built
    /// over.
    [[nodiscard]] std::uint32_t primitive_count() const { return n_primitives_; }
    [[nodiscard]] const LiveGaussians& gaussians() const { return gaussians_; }
    /// Device memory of geometry, materials, textures and trees.
    [[nodiscard]] std::size_t bytes() const;
    /// The part of bytes() that each copy takes while two copies are in use.
    [[nodiscard]] std::size_t bytes_of_turn() const { return trees_.newest().bytes(); }

  private:
    struct HostGeometry;
    /// Everything but geometry, textures and instances; returns how many lights are not of
    /// surfaces.
    std::size_t set_shading(Stream& stream, const EmissiveSurfaces& emissive);
    void build_tree(Scratch& scratch, StageTimer& timer);
    void refit_tree(Scratch& scratch, StageTimer& timer);
    void update_boxes(Stream& stream, StageTimer& timer);
    /// The number of primitives that are not instances; they come first.
    [[nodiscard]] std::size_t n_own() const { return n_primitives_ - instances_.size(); }
    void gather(Stream& stream, StageTimer& timer);

    std::shared_ptr<const Scene> scene_;
    std::unique_ptr<TreeBuilder> builder_;
    SceneTreeConfig config_;
    Box bounds_at_rest_;
    MediumBoxes medium_boxes_;  ///< empty where media do not matter
    const std::uint32_t* camera_media_ = nullptr;
    bool glows_ = false;  ///< rays may meet surfaces that glow, or a background
    std::uint32_t n_primitives_ = 0;
    std::uint32_t n_triangles_ = 0;  ///< without those of instanced meshes, which follow

    DeviceArray<vec2> uvs_;
    DeviceArray<vec3> colors_, sphere_colors_;  ///< empty where all are white
    DeviceArray<glm::uvec3> triangles_;
    DeviceArray<std::int32_t> triangle_materials_;
    DeviceArray<SphereData> spheres_;
    DeviceArray<MaterialData> materials_;
    DeviceArray<LayersData> layers_;
    DeviceArray<std::uint32_t> media_;
    DeviceArray<GgxTables> ggx_;  ///< one, where a material is rough
    LiveLights lights_;
    LiveEnvironment environment_;
    LiveTextures textures_;
    LiveSplats splats_;
    LivePatches patches_;
    LiveGaussians gaussians_;
    LiveInstances instances_;

    Animator animator_;
    UpdateKind update_kind_ = UpdateKind::none;
    double updated_phase_ = -1;  ///< to which the last update has moved geometry; -1: none has
    DeviceArray<Box> boxes_;     ///< read only by builds and refits
    SceneTrees trees_;
};

}  // namespace tl
