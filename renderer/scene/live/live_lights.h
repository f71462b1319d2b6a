// The scene's lights on a device: those of its description, the environment, and surfaces with an
// emission; with a tree by which one of them is chosen.
#pragma once

#include <vector>

#include "accel/parallel/array.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

/// A light of the description for kernels.
[[nodiscard]] LightData light_data(const Light& light);

/// A triangle or sphere with an emission, which is at rest.
struct EmissiveTriangle {
    std::uint32_t index;  ///< among the scene's triangles
    vec3 corners[3];
    vec3 normal_sum;  ///< of its vertices' normals, or zero: emits on that side
    vec3 radiance;
};
struct EmissiveSphere {
    std::uint32_t index;
    vec3 center;
    float radius;
    vec3 radiance;
};

class LiveLights {
  public:
    LiveLights() = default;
    /// `lights`: those of the description and the environment; `material_lights`: the light whose
    /// surface has a material, or -1. Emissive surfaces follow in the order given.
    LiveLights(Stream& stream, std::vector<LightData> lights,
               const std::vector<std::int32_t>& material_lights,
               const std::vector<EmissiveTriangle>& triangles, std::size_t n_triangles,
               const std::vector<EmissiveSphere>& spheres, std::size_t n_spheres);

    void show(SceneView& view) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::uint32_t n_described_ = 0;
    DeviceArray<LightData> lights_;
    DeviceArray<std::int32_t> material_lights_;
    DeviceArray<LightNode> nodes_;
    DeviceArray<std::uint64_t> trails_;
    DeviceArray<std::uint32_t> far_lights_;
    DeviceArray<std::int32_t> triangle_lights_, sphere_lights_;
};

}  // namespace tl
