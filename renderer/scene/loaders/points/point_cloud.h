// The points of a file that has nothing else, between its reader and the scene.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Points of one file. Colours and intensities are either empty or one for each point.
struct PointCloud {
    std::vector<glm::dvec3> positions;  ///< finite, up to kLargestCoordinate
    std::vector<vec3> colors;           ///< as decode_vertex_colors() takes them
    std::vector<float> intensities;     ///< of the echo of a scanner's light, in its own units
    std::uint64_t n_lost = 0;           ///< points that are left out, since they are not finite
    std::uint64_t n_withheld = 0;       ///< points that are left out, since the file asks for it
};

/// Greys for intensities, whose units files do not tell: sRGB in parts of 1, rising from the
/// intensity that 2 % of the points are below to that which 2 % are above, so that a few bright
/// echoes do not make all else dark. White where those are equal. Linear in the count.
[[nodiscard]] std::vector<vec3> greys_of(std::span<const float> intensities);

/// Appends the points to a scene with a material 0, as points_and_lines.h shows them; recentred
/// where they need it (recentre.h). Those without colours have the greys of their intensities.
/// `n_bytes`: the file's size. Throws UserError where there are none.
void add_cloud(Scene& scene, PointCloud cloud, const std::string& path, std::size_t n_bytes,
               bool with_materials);

}  // namespace tl
