// A live scene's triangles, at their current positions, copied to host memory.
#pragma once

#include <vector>

#include "renderer/scene/live/scene_view.h"

namespace tl {

/// The scene's own triangles, in the order of its primitives, without those of instanced meshes.
struct HostTriangles {
    std::vector<vec3> positions;  ///< vertices up to the last one in use
    std::vector<glm::uvec3> triangles;
};

/// Copies the scene's own triangles. Waits for the stream.
[[nodiscard]] HostTriangles download_triangles(Stream& stream, const SceneView& scene);
/// Copies the first `n_triangles` on the device: the scene's own, then those of instanced meshes in
/// their object space. Waits for the stream.
[[nodiscard]] HostTriangles download_triangles(Stream& stream, const SceneView& scene,
                                               std::size_t n_triangles);

}  // namespace tl
