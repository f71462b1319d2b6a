// Shading normals for meshes without normals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Crease angle in degrees: faces that join at less than this angle are shaded as one smooth
/// surface.
inline constexpr float kCreaseAngle = 50;

/// Normals, and for each corner of each triangle the index of its normal.
struct CornerNormals {
    std::vector<vec3> normals;
    std::vector<std::uint32_t> normal_of_corner;  ///< three for each triangle
};

/// Averages the face normals around each vertex, weighted by the angle of the corner (Thuermer &
/// Wuethrich 1998). A corner includes the faces of its own smoothing group (0: only its own face).
/// If `smoothing_groups` is empty, it includes those at less than kCreaseAngle to its own face. A
/// vertex of more than 256 faces is smooth.
[[nodiscard]] CornerNormals corner_normals(std::span<const vec3> positions,
                                           std::span<const glm::uvec3> triangles,
                                           std::span<const std::uint32_t> smoothing_groups = {});

/// Gives a mesh without normals the ones of corner_normals; splits vertices along creases.
void add_normals(Mesh& mesh);

/// Normalises the normals from a file. Those that are zero or not finite become the mean of the
/// faces around their vertex, weighted by area; for a mesh without normals calls add_normals.
void complete_normals(Mesh& mesh);

}  // namespace tl
