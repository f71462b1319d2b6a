// Environment maps: images of the radiance that arrives from all directions.
#pragma once

#include <string>
#include <vector>

#include "core/base/math.h"
#include "core/base/read_observer.h"
#include "renderer/scene/warnings.h"

namespace tl {

/// An equirectangular map: row 0 is up (+y), the middle of the image lies towards -z, and its right
/// half towards +x.
struct EnvironmentMap {
    Extent extent;             ///< size in texels
    std::vector<vec3> texels;  ///< W/(sr m^2) before `scale`, not negative
    float rotation = 0;        ///< degrees about y, counterclockwise seen from above
    vec3 scale{1};             ///< factor of all texels

    [[nodiscard]] bool empty() const { return texels.empty(); }
};

/// Reads a .hdr or .exr file. Values that are negative, not finite or above 1e9 are clamped with a
/// warning. Throws UserError.
[[nodiscard]] EnvironmentMap load_environment(const std::string& path, Warnings& warnings,
                                              const ReadObserver& observer = {});

}  // namespace tl
