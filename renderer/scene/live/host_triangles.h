// A live scene's triangles in host memory, where they are now.
#pragma once

#include <vector>

#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Those of the scene itself, in the order of its primitives; not of instanced meshes.
struct HostTriangles {
    std::vector<vec3> positions;  ///< up to the last one that a triangle names
    std::vector<glm::uvec3> triangles;
};

/// Waits for the stream.
[[nodiscard]] HostTriangles download_triangles(Stream& stream, const SceneView& scene);
/// The first `n_triangles` on the device: those of instanced meshes, which move with no instance,
/// follow the scene's own.
[[nodiscard]] HostTriangles download_triangles(Stream& stream, const SceneView& scene,
                                               std::size_t n_triangles);

}  // namespace tl
