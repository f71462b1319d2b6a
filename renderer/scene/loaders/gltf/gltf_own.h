// Data beyond the format in glTF files that the program wrote (gltf_extras.h), so that they are
// read without loss. Data that does not fit is ignored: other programs may have changed such files.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

/// The background of a scene that the program wrote; none for others.
[[nodiscard]] std::optional<vec3> own_background(const tinygltf::Scene& scene);

/// Shape that a node's mesh represents: a name of gltf_extras.h; "" for a plain mesh.
[[nodiscard]] std::string own_shape(const tinygltf::Node& node);

/// Radius of points that represent spheres; 0 where the node has none.
[[nodiscard]] double own_radius(const tinygltf::Node& node);

/// The sphere that a sphere of radius 1 becomes; none unless it stays a sphere.
[[nodiscard]] std::optional<Sphere> sphere_at(const glm::dmat4& transform, std::int32_t material);
[[nodiscard]] Light sphere_light(const Sphere& sphere, vec3 radiance);

/// The light whose surface has these corners; none unless they span a parallelogram.
[[nodiscard]] std::optional<Light> rectangle_light(std::span<const vec3> corners,
                                                   const glm::dmat4& transform, vec3 radiance);

}  // namespace tl
