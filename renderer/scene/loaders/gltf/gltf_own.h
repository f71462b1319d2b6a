// What glTF files that the program wrote say beyond the format (gltf_extras.h), so that they are
// read without loss. What does not fit is ignored: other programs may have changed such files.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

/// The background of a scene that the program wrote; none for others.
[[nodiscard]] std::optional<vec3> own_background(const tinygltf::Scene& scene);

/// What a node's mesh stands for: a name of gltf_extras.h; "" for a mesh as such.
[[nodiscard]] std::string own_shape(const tinygltf::Node& node);

/// The radius of points that stand for spheres; 0 where the node says none.
[[nodiscard]] double own_radius(const tinygltf::Node& node);

/// The sphere that a sphere of radius 1 becomes; none unless it stays a sphere.
[[nodiscard]] std::optional<Sphere> sphere_at(const glm::dmat4& transform, std::int32_t material);
[[nodiscard]] Light sphere_light(const Sphere& sphere, vec3 radiance);

/// The light whose surface has these corners; none unless they span a parallelogram.
[[nodiscard]] std::optional<Light> rectangle_light(std::span<const vec3> corners,
                                                   const glm::dmat4& transform, vec3 radiance);

}  // namespace tl
