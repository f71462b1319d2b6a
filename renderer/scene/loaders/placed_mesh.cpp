#include "renderer/scene/loaders/placed_mesh.h"

#include <cmath>
#include <glm/matrix.hpp>
#include <utility>

#include "renderer/scene/limits.h"
#include "renderer/scene/normals.h"

namespace tl {

bool place_mesh(Mesh& mesh, const glm::dmat4& transform) {
    using glm::dvec3;
    for (auto& position : mesh.positions) {
        dvec3 moved = transform * glm::dvec4(dvec3(position), 1);
        for (int k = 0; k < 3; ++k)
            if (!(std::abs(moved[k]) <= kLargestCoordinate)) return false;
        position = vec3(moved);
    }
    glm::dmat3 linear(transform);
    double volume = glm::determinant(linear);
    if (volume < 0)
        for (auto& triangle : mesh.triangles) std::swap(triangle.y, triangle.z);
    if (!(std::abs(volume) > 0)) mesh.normals.clear();  // flat: use geometric normals
    if (mesh.normals.empty()) return true;
    glm::dmat3 for_normals = glm::transpose(glm::inverse(linear));
    for (auto& normal : mesh.normals) normal = vec3(for_normals * dvec3(normal));
    complete_normals(mesh);
    return true;
}

}  // namespace tl
