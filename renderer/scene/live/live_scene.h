// A scene on a device, with its animation and its tree, both updated for every frame.
#pragma once

#include <cstdint>
#include <memory>

#include "accel/primitives.h"
#include "core/base/read_progress.h"
#include "core/device/stage_timer.h"
#include "renderer/optics/ggx_tables.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/lights/live_environment.h"
#include "renderer/scene/live/lights/live_lights.h"
#include "renderer/scene/live/live_gaussians.h"
#include "renderer/scene/live/live_instances.h"
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
    /// Copies the scene to the stream's device, both of which must outlive it. `progress` receives
    /// that of the copy. Throws UserError if the scene does not fit.
    LiveScene(Stream& stream, std::shared_ptr<const Scene> scene,
              const ReadProgress& progress = {});

    /// Updates materials, lights and environment from the edited description (scene_edits.h). Its
    /// geometry, the surfaces of lights included, and its textures must be unchanged, and there may
    /// be no instances where surfaces emit. The trees stay; so does the environment unless
    /// `environment`. No work may be reading the scene. Throws UserError, and changes nothing, if
    /// the copies do not fit.
    void refresh_shading(Stream& stream, bool environment);

    /// Sets the builder of later updates.
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
    /// updates the tree by its policy. It is rebuilt over new boxes of the primitives, refitted,
    /// or, where nothing moves, left unchanged. Then stores the primitives in leaf order. Never
    /// waits, and allocates only the first time. The trees of instanced meshes are rebuilt when
    /// builder or settings have changed. `progress` receives that of building trees; an estimate
    /// that it wants takes time and waits.
    void update(Scratch& scratch, StageTimer& timer, float time = 0,
                const ReadProgress& progress = {});

    /// Whether a frame's tree may be built ahead, while the last frame is traced. The config must
    /// allow it, and a tree must exist and be rebuilt every frame. Updates must write only the tree
    /// and vertices: no instances, patches, Gaussians (they have one tree) or moving lights.
    [[nodiscard]] bool can_build_ahead(const Device& device) const;
    /// Swaps the two copies of tree and vertices (double buffering). Views show, and the next
    /// update writes, the copy that was not in use, so that the other can still be traced. Work on
    /// `stream`, that of the next update, must come after all reads of that copy. The first call
    /// makes the copy and must come after all earlier work. Throws UserError where a copy does not
    /// fit.
    void take_turn(Stream& stream) { trees_.take_turn(stream); }
    /// Returns to a single copy, which the next update writes. No work may be reading either copy.
    void end_turns() { trees_.end_turns(); }
    [[nodiscard]] bool taking_turns() const { return trees_.taking_turns(); }

    /// Whether a dielectric that affects light along paths from `point` may contain it at a time,
    /// seconds.
    [[nodiscard]] bool may_be_in_medium(vec3 point, float time) const {
        return medium_boxes_.contain(point, time);
    }
    /// SceneView::camera_media of later views, in memory of the device, which must outlive them.
    void set_camera_media(const std::uint32_t* media) { camera_media_ = media; }

    /// Whether some lights move.
    [[nodiscard]] bool lights_move() const { return lights_.move(); }

    /// The kind of the last update.
    [[nodiscard]] UpdateKind update_kind() const { return update_kind_; }

    /// The scene at rest, in host memory.
    [[nodiscard]] const Scene& description() const { return *scene_; }
    /// Bounds of all geometry at rest; empty for an empty scene.
    [[nodiscard]] const Box& bounds_at_rest() const { return bounds_at_rest_; }
    /// The scene for kernels, as of the newest update. Later updates change the memory that it
    /// points to.
    [[nodiscard]] SceneView view() const;
    /// The tree of the newest update.
    [[nodiscard]] const Tree& tree() const { return trees_.newest().tree; }
    /// Number of primitives of the tree: triangles, spheres, splats, patch pieces and instances.
    [[nodiscard]] std::uint32_t primitive_count() const { return n_primitives_; }
    [[nodiscard]] const LiveGaussians& gaussians() const { return gaussians_; }
    /// Device memory of geometry, materials, textures and trees.
    [[nodiscard]] std::size_t bytes() const;
    /// Bytes of each copy while two copies are in use, a part of bytes().
    [[nodiscard]] std::size_t bytes_of_turn() const { return trees_.newest().bytes(); }

  private:
    struct HostGeometry;
    /// Sets everything but geometry, textures and instances. Returns the number of lights without
    /// those of emissive surfaces.
    std::size_t set_shading(Stream& stream, EmissiveSurfaces& emissive);
    void build_tree(Scratch& scratch, StageTimer& timer, const ReadProgress& progress);
    void refit_tree(Scratch& scratch, StageTimer& timer);
    void update_boxes(Stream& stream, StageTimer& timer);
    /// Number of primitives that are not instances; they come first.
    [[nodiscard]] std::size_t n_own() const { return n_primitives_ - instances_.size(); }
    void gather(Stream& stream, StageTimer& timer);

    std::shared_ptr<const Scene> scene_;
    std::unique_ptr<TreeBuilder> builder_;
    SceneTreeConfig config_;
    Box bounds_at_rest_;
    MediumBoxes medium_boxes_;  ///< empty where media do not matter
    const std::uint32_t* camera_media_ = nullptr;
    bool glows_ = false;  ///< whether rays may hit emissive surfaces, or a background
    std::uint32_t n_primitives_ = 0;
    std::uint32_t n_triangles_ = 0;  ///< without those of instanced meshes, which follow

    DeviceArray<vec2> uvs_;
    DeviceArray<vec3> colors_, sphere_colors_;  ///< empty where all are white
    DeviceArray<vec3> sphere_emission_;         ///< as SceneView has it
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
    double updated_phase_ = -1;  ///< phase of the last update; -1: none yet
    DeviceArray<Box> boxes_;     ///< read only by builds and refits
    SceneTrees trees_;
};

}  // namespace tl
