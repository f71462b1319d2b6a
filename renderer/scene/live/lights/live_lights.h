// Lights of a scene on a device: the described ones, the environment and emissive surfaces, with a
// light tree for choosing one of them.
#pragma once

#include <optional>
#include <vector>

#include "core/device/array.h"
#include "renderer/scene/live/lights/emissive_surfaces.h"
#include "renderer/scene/live/lights/moving_lights.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Converts a described light for kernels.
[[nodiscard]] LightData light_data(const Light& light);

/// Distant emission, and the bounds that it illuminates.
struct Surroundings {
    Box bounds;                   ///< bounds of the scene at rest
    float environment = 0;        ///< LiveEnvironment::fluence of the map
    vec3 background{0};           ///< radiance where there is no map
    bool default_lights = false;  ///< see Scene
};

class LiveLights {
  public:
    LiveLights() = default;
    /// `lights`: the described ones and the environment; `material_lights`: the light whose surface
    /// has a material, or -1. Emissive triangles follow, then spheres, patches and splats.
    LiveLights(Stream& stream, std::vector<LightData> lights,
               const std::vector<std::int32_t>& material_lights, const EmissiveSurfaces& emissive,
               std::size_t n_spheres, const Surroundings& surroundings);

    /// Whether some lights move.
    [[nodiscard]] bool move() const { return !moving_.empty(); }
    /// Updates moving lights to the geometry of `scene`; never waits. Does nothing where none
    /// moves. Selection probabilities of photon sources stay those of the scene at rest. Estimates
    /// stay unbiased: the probabilities are above 0 for all emitters, and samples are divided by
    /// them.
    void update(Stream& stream, const SceneView& scene);

    void show(SceneView& view) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::uint32_t n_described_ = 0;
    bool has_textures_ = false;     ///< whether some surfaces' radiance is textured
    bool has_all_in_tree_ = false;  ///< see LightSearch
    std::int32_t first_splat_light_ = 0;
    std::optional<std::uint32_t> only_in_tree_;
    DeviceArray<LightData> lights_;
    DeviceArray<std::int32_t> material_lights_;
    LiveLightTree tree_;
    DeviceArray<std::uint64_t> trails_;
    DeviceArray<std::uint32_t> far_lights_;
    DeviceArray<std::int32_t> triangle_lights_, sphere_lights_, patch_lights_;
    DeviceArray<AliasEntry> photon_sources_;
    MovingLights moving_;
};

}  // namespace tl
