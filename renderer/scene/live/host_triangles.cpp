#include "renderer/scene/live/host_triangles.h"

#include <algorithm>

namespace tl {

HostTriangles download_triangles(Stream& stream, const SceneView& scene) {
    return download_triangles(stream, scene, scene.n_triangles);
}

HostTriangles download_triangles(Stream& stream, const SceneView& scene, std::size_t n_triangles) {
    HostTriangles host;
    auto& device = stream.device();
    host.triangles.resize(n_triangles);
    device.download(stream, host.triangles.data(), scene.triangles,
                    host.triangles.size() * sizeof(glm::uvec3));
    std::uint32_t n_positions = 0;
    for (auto t : host.triangles) n_positions = std::max({n_positions, t.x + 1, t.y + 1, t.z + 1});
    host.positions.resize(n_positions);
    device.download(stream, host.positions.data(), scene.positions, n_positions * sizeof(vec3));
    return host;
}

}  // namespace tl
