// Reference for instances: the same scene with every instance expanded to a separate mesh.
#pragma once

#include <glm/matrix.hpp>
#include <utility>

#include "renderer/scene/scene.h"

namespace tl::test {

inline Scene flattened(const Scene& scene) {
    Scene flat = scene;
    flat.meshes.clear();
    flat.instances.clear();
    for (auto& mesh : scene.meshes)
        if (!mesh.instanced) flat.meshes.push_back(mesh);
    for (auto& instance : scene.instances) {
        Mesh mesh = scene.meshes[instance.mesh];
        mesh.instanced = false;
        const glm::dmat4 m(instance.transform);
        const glm::dmat3 linear(m), for_normals = glm::transpose(glm::inverse(linear));
        for (auto& p : mesh.positions) p = vec3(m * glm::dvec4(glm::dvec3(p), 1));
        for (auto& n : mesh.normals)
            if (n != vec3(0)) n = vec3(glm::normalize(for_normals * glm::dvec3(n)));
        if (glm::determinant(linear) < 0)
            for (auto& t : mesh.triangles) std::swap(t.y, t.z);
        if (instance.material >= 0)
            mesh.material_of_triangle.assign(mesh.triangles.size(), instance.material);
        flat.meshes.push_back(std::move(mesh));
    }
    return flat;
}

}  // namespace tl::test
