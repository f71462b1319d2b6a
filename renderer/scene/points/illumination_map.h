// Illumination map: light at points of a scene's surfaces (Goradia 2008), in host memory.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// All lists have one entry for each point.
struct IlluminationMap {
    std::vector<vec3> positions;   ///< in the scene's coordinates, m
    std::vector<vec3> normals;     ///< of the lit side, unit length
    std::vector<float> areas;      ///< m^2
    std::vector<vec3> irradiance;  ///< light that arrives, W/m^2, linear RGB
    std::vector<vec3> radiosity;   ///< reflected light, without the emission, W/m^2

    [[nodiscard]] std::size_t size() const { return positions.size(); }
};

}  // namespace tl
