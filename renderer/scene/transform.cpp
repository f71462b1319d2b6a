#include "renderer/scene/transform.h"

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

namespace tl {

mat4 Transform::matrix() const {
    mat4 m = glm::translate(mat4(1), translate);
    m = glm::rotate(m, glm::radians(rotate.z), vec3(0, 0, 1));
    m = glm::rotate(m, glm::radians(rotate.y), vec3(0, 1, 0));
    m = glm::rotate(m, glm::radians(rotate.x), vec3(1, 0, 0));
    return glm::scale(m, scale);
}

SceneMark::SceneMark(const Scene& scene)
    : meshes(scene.meshes.size()),
      instances(scene.instances.size()),
      spheres(scene.spheres.size()),
      lights(scene.lights.size()),
      materials(scene.materials.size()) {}

void apply(const Transform& transform, Scene& scene, const SceneMark& mark, bool camera) {
    const mat4 m = transform.matrix();
    const glm::mat3 linear(m);
    const glm::mat3 for_normals = glm::transpose(glm::inverse(linear));
    const bool mirrors = transform.scale.x * transform.scale.y * transform.scale.z < 0;
    auto point = [&](vec3 p) { return vec3(m * vec4(p, 1)); };
    auto move = [&](std::vector<vec3>& positions, std::vector<vec3>& normals) {
        for (auto& position : positions) position = point(position);
        for (auto& normal : normals) normal = glm::normalize(for_normals * normal);
    };

    for (std::size_t i = mark.instances; i < scene.instances.size(); ++i) {
        auto& instance = scene.instances[i];
        instance.transform = m * instance.transform;
        instance.walk.radius *= std::abs(transform.scale.x);
        instance.walk.speed *= std::abs(transform.scale.x);
        instance.walk.stride *= std::abs(transform.scale.x);
        instance.walk.bob *= std::abs(transform.scale.y);
    }
    for (std::size_t i = mark.meshes; i < scene.meshes.size(); ++i) {
        auto& mesh = scene.meshes[i];
        if (mesh.instanced) continue;
        move(mesh.positions, mesh.normals);
        for (auto& frame : mesh.frames) move(frame.positions, frame.normals);
        if (mirrors)
            for (auto& triangle : mesh.triangles) std::swap(triangle.y, triangle.z);
        auto& animation = mesh.animation;
        float size = std::cbrt(std::abs(glm::determinant(linear)));
        animation.center = point(animation.center);
        animation.distance *= size;
        animation.wavelength *= size;
        vec3 lift = linear * animation.lift;
        animation.height *= glm::length(lift);
        animation.lift = glm::normalize(lift);
        auto& joints = animation.rigid.joints;
        if (joints.empty()) continue;
        joints[0].placement = glm::dmat4(m) * joints[0].placement;
        animation.rigid.rest *= glm::inverse(glm::dmat4(m));
    }
    for (std::size_t i = mark.spheres; i < scene.spheres.size(); ++i) {
        scene.spheres[i].center = point(scene.spheres[i].center);
        scene.spheres[i].radius *= std::abs(transform.scale.x);
    }
    for (std::size_t i = mark.lights; i < scene.lights.size(); ++i) {
        auto& light = scene.lights[i];
        light.position = point(light.position);
        light.direction = glm::normalize(linear * light.direction);
        light.edge_u = linear * light.edge_u;
        light.edge_v = linear * light.edge_v;
        light.radius *= std::abs(transform.scale.x);
        if (mirrors) std::swap(light.edge_u, light.edge_v);
    }
    if (camera) {
        scene.camera.eye = point(scene.camera.eye);
        scene.camera.target = point(scene.camera.target);
        scene.camera.up = glm::normalize(linear * scene.camera.up);
    }
}

}  // namespace tl
