#include "renderer/scene/transform.h"

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <span>
#include <utility>

namespace tl {

mat4 Transform::matrix() const {
    mat4 m = glm::translate(mat4(1), vec3(translate));
    m = glm::rotate(m, glm::radians(rotate.z), vec3(0, 0, 1));
    m = glm::rotate(m, glm::radians(rotate.y), vec3(0, 1, 0));
    m = glm::rotate(m, glm::radians(rotate.x), vec3(1, 0, 0));
    return glm::scale(m, scale);
}

glm::dmat4 Transform::matrix_after(const glm::dvec3& offset) const {
    glm::dmat4 m(matrix());
    m[3] = glm::dvec4(glm::dmat3(m) * offset + translate, 1);
    return m;
}

namespace {

void move_animation(Animation& animation, const glm::dmat4& exact) {
    const mat4 m(exact);
    const glm::mat3 linear(m);
    float size = std::cbrt(std::abs(glm::determinant(linear)));
    animation.center = vec3(m * vec4(animation.center, 1));
    animation.distance *= size;
    animation.wavelength *= size;
    vec3 lift = linear * animation.lift;
    animation.height *= glm::length(lift);
    animation.lift = glm::normalize(lift);
    auto& joints = animation.rigid.joints;
    if (joints.empty()) return;
    joints[0].placement = exact * joints[0].placement;
    animation.rigid.rest *= glm::inverse(exact);
}

/// Swaps u and v of every patch, which flips its outside.
void turn_over(PatchSet& set) {
    constexpr std::size_t kPoints = 16;
    auto transpose = [](auto& values) {
        for (std::size_t first = 0; first < values.size(); first += kPoints)
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    std::swap(values[first + 4 * i + j], values[first + 4 * j + i]);
    };
    transpose(set.points);
    transpose(set.weights);
    for (auto& frame : set.frames) transpose(frame.positions);
    // The corners where one of u and v is 1.
    for (std::size_t k = 0; k < set.corner_uvs.size(); k += 4)
        std::swap(set.corner_uvs[k + 1], set.corner_uvs[k + 2]);
    // Without corner coordinates, textures would have u and v swapped.
    if (set.corner_uvs.empty())
        for (std::size_t k = 0; k < set.size(); ++k)
            set.corner_uvs.insert(set.corner_uvs.end(), {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
}

}  // namespace

void apply(const Transform& transform, Scene& scene, const SceneMark& mark, bool camera,
           const glm::dvec3& offset) {
    const bool is_near = offset == glm::dvec3(0);
    const glm::dmat4 exact =
        is_near ? glm::dmat4(transform.matrix()) : transform.matrix_after(offset);
    const mat4 m(exact);
    const glm::mat3 linear(m);
    const glm::mat3 for_normals = glm::transpose(glm::inverse(linear));
    const bool mirrors = transform.scale.x * transform.scale.y * transform.scale.z < 0;
    auto point = [&](vec3 p) {
        return is_near ? vec3(m * vec4(p, 1)) : vec3(exact * glm::dvec4(p, 1));
    };
    std::vector<vec3> none;
    auto move = [&](std::vector<vec3>& positions, std::vector<vec3>& normals) {
        for (auto& position : positions) position = point(position);
        for (auto& normal : normals) normal = glm::normalize(for_normals * normal);
    };

    for (auto& instance : std::span(scene.instances).subspan(mark.instances)) {
        instance.transform = m * instance.transform;
        instance.walk.radius *= std::abs(transform.scale.x);
        instance.walk.speed *= std::abs(transform.scale.x);
        instance.walk.stride *= std::abs(transform.scale.x);
        instance.walk.bob *= std::abs(transform.scale.y);
    }
    for (auto& mesh : std::span(scene.meshes).subspan(mark.meshes)) {
        if (mesh.instanced) continue;
        move(mesh.positions, mesh.normals);
        for (auto& frame : mesh.frames) move(frame.positions, frame.normals);
        if (mirrors)
            for (auto& triangle : mesh.triangles) std::swap(triangle.y, triangle.z);
        move_animation(mesh.animation, exact);
    }
    for (auto& set : std::span(scene.patches).subspan(mark.patches)) {
        move(set.points, none);
        for (auto& frame : set.frames) move(frame.positions, none);
        if (mirrors) turn_over(set);
        move_animation(set.animation, exact);
    }
    for (auto& sphere : std::span(scene.spheres).subspan(mark.spheres)) {
        sphere.center = point(sphere.center);
        sphere.radius *= std::abs(transform.scale.x);
    }
    for (auto& set : std::span(scene.gaussians).subspan(mark.gaussians)) {
        for (auto& center : set.centers) center = point(center);
        for (auto& covariance : set.covariances) covariance = covariance.mapped(linear);
        set.to_own = set.to_own * glm::inverse(linear);
    }
    for (auto& splat : std::span(scene.splats).subspan(mark.splats)) {
        splat.center = point(splat.center);
        splat.radius *= std::abs(transform.scale.x);
        splat.normal = glm::normalize(for_normals * splat.normal);
    }
    for (auto& light : std::span(scene.lights).subspan(mark.lights)) {
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
