// Materials and lights of a scene in the form that kernels read.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

struct ShadingData {
    /// The scene's materials, with reflectances limited to what conserves energy, then those of
    /// surfaces of lights, in the order of the lights.
    std::vector<MaterialData> materials;
    std::vector<LayersData> layers;    ///< of the materials that have some; MaterialData::layers
    std::vector<std::uint32_t> media;  ///< material of each medium; MaterialData::medium
    std::vector<LightData> lights;
    std::vector<std::int32_t> material_lights;  ///< light of each material; -1 if there is none
};
[[nodiscard]] ShadingData shading_data(const Scene& scene);

}  // namespace tl
