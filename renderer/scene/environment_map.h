// A picture of the light that comes from all around a scene.
#pragma once

#include <string>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

/// Equirectangular: row 0 is up (+y), the middle of the picture lies towards -z, and what is right
/// of the middle towards +x.
struct EnvironmentMap {
    std::string file;          ///< that it came from
    Extent extent;             ///< of the picture, texels
    std::vector<vec3> texels;  ///< W/(sr m^2) before `scale`, not negative
    float rotation = 0;        ///< degrees about y, counterclockwise seen from above
    vec3 scale{1};             ///< what all texels are multiplied by

    [[nodiscard]] bool empty() const { return texels.empty(); }
};

/// Reads a .hdr or .exr file. Values that are negative, not finite or beyond 1e9 are brought into
/// the range, which is a warning. Throws UserError.
[[nodiscard]] EnvironmentMap load_environment(const std::string& path,
                                              std::vector<std::string>& warnings);

}  // namespace tl
