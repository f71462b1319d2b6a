// Shading normals for meshes that come without.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Faces that meet at a smaller angle than this are shaded as one smooth surface, degrees.
inline constexpr float kCreaseAngle = 50;

/// Normals and, for each corner of each triangle, which of them it takes.
struct CornerNormals {
    std::vector<vec3> normals;
    std::vector<std::uint32_t> normal_of_corner;  ///< three for each triangle
};

/// Averages the face normals around each vertex, weighted by the angle of the corner (Thuermer &
/// Wuethrich 1998). A corner counts the faces of its own smoothing group (0: its own face alone),
/// or, where `smoothing_groups` is empty, those that meet its face below kCreaseAngle. A vertex of
/// more than 256 faces is smooth.
[[nodiscard]] CornerNormals corner_normals(std::span<const vec3> positions,
                                           std::span<const glm::uvec3> triangles,
                                           std::span<const std::uint32_t> smoothing_groups = {});

/// Gives a mesh without normals the ones of corner_normals; splits vertices along creases.
void add_normals(Mesh& mesh);

/// Makes the normals that a file gives unit length. Those of no length, or not finite, become the
/// mean of the faces around their vertex, weighted by area; a mesh without any gets add_normals.
void complete_normals(Mesh& mesh);

}  // namespace tl
