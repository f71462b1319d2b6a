#include "renderer/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "accel/primitives.h"

namespace tl {

std::size_t Scene::triangle_count() const {
    std::size_t count = 0;
    for (auto& mesh : meshes) count += mesh.triangles.size();
    return count;
}

std::size_t Scene::patch_count() const {
    std::size_t count = 0;
    for (auto& set : patches) count += set.size();
    return count;
}

std::size_t Scene::gaussian_count() const {
    std::size_t count = 0;
    for (auto& set : gaussians) count += set.size();
    return count;
}

std::size_t Scene::visible_triangle_count() const {
    std::size_t count = 0;
    for (auto& mesh : meshes)
        if (!mesh.instanced) count += mesh.triangles.size();
    for (auto& instance : instances) count += meshes.at(instance.mesh).triangles.size();
    return count;
}

bool Scene::has_no_geometry() const {
    return triangle_count() + patch_count() + spheres.size() + splats.size() == 0;
}

SceneMark::SceneMark(const Scene& scene)
    : meshes(scene.meshes.size()),
      patches(scene.patches.size()),
      instances(scene.instances.size()),
      spheres(scene.spheres.size()),
      splats(scene.splats.size()),
      lights(scene.lights.size()),
      materials(scene.materials.size()),
      gaussians(scene.gaussians.size()) {}

Box bounds_of(const Scene& scene, const SceneMark& mark) {
    Box bounds;
    auto add_ball = [&](vec3 center, float radius) {
        bounds.extend(center - radius);
        bounds.extend(center + radius);
    };
    auto added = [](auto& list, std::size_t n_before) { return std::span(list).subspan(n_before); };
    std::vector<Box> of_mesh(scene.meshes.size());
    for (std::size_t i = 0; i < of_mesh.size(); ++i) {
        bool is_added = i >= mark.meshes && !scene.meshes[i].instanced;
        if (!is_added && !scene.meshes[i].instanced) continue;
        for (auto& position : scene.meshes[i].positions) of_mesh[i].extend(position);
        if (is_added) bounds.extend(of_mesh[i]);
    }
    for (auto& instance : added(scene.instances, mark.instances)) {
        const Box& own = of_mesh.at(instance.mesh);
        for (int corner = 0; corner < 8 && !own.empty(); ++corner)
            bounds.extend(vec3(instance.transform * vec4(corner_of_box(own, corner), 1)));
    }
    // A patch lies within the convex hull of its control points.
    for (auto& set : added(scene.patches, mark.patches))
        for (auto& point : set.points) bounds.extend(point);
    for (auto& sphere : added(scene.spheres, mark.spheres)) add_ball(sphere.center, sphere.radius);
    for (auto& set : added(scene.gaussians, mark.gaussians))
        for (std::size_t i = 0; i < set.size(); ++i) bounds.extend(set.box(i));
    for (auto& splat : added(scene.splats, mark.splats))
        bounds.extend(cpu::splat_box(splat.center, splat.normal, splat.radius));
    for (auto& light : added(scene.lights, mark.lights)) {
        if (light.kind == LightKind::sphere) add_ball(light.position, light.radius);
        if (light.kind != LightKind::rectangle) continue;
        bounds.extend(light.position);
        bounds.extend(light.position + light.edge_u);
        bounds.extend(light.position + light.edge_v);
        bounds.extend(light.position + light.edge_u + light.edge_v);
    }
    return bounds;
}

void frame_all(Camera& camera, const Box& bounds, float aspect) {
    if (bounds.empty()) return;
    // In double: bounds of valid scenes may be wide enough to overflow squares of floats.
    using glm::dvec3;
    dvec3 back = dvec3(camera.eye) - dvec3(camera.target);
    double length = glm::length(back);
    back = length > 0 ? back / length : dvec3(0, 0, 1);
    dvec3 right = glm::cross(dvec3(camera.up), back);
    if (glm::length(right) < 1e-9 * glm::length(dvec3(camera.up)) || right == dvec3(0)) {
        // Looking along `up`: take an axis that is not parallel to the view.
        camera.up = std::abs(back.z) < 0.9 ? vec3(0, 0, 1) : vec3(0, 1, 0);
        right = glm::cross(dvec3(camera.up), back);
    }
    right = glm::normalize(right);
    dvec3 up = glm::cross(back, right);

    dvec3 center = 0.5 * (dvec3(bounds.lo) + dvec3(bounds.hi));
    double tan_y = std::tan(glm::radians(double(camera.vertical_fov)) / 2);
    double tan_x = tan_y * aspect;

    // The nearest eye from which every corner of the box lies inside the four sides of the view.
    double distance = 0;
    for (int corner = 0; corner < 8; ++corner) {
        dvec3 p = dvec3(corner_of_box(bounds, corner)) - center;
        double needed =
            std::max(std::abs(glm::dot(p, right)) / tan_x, std::abs(glm::dot(p, up)) / tan_y);
        distance = std::max(distance, needed + glm::dot(p, back));
    }
    constexpr double kMargin = 1.05;
    distance = distance > 0 ? distance * kMargin : 1;
    // Far from the origin, floats are too coarse to separate eye and target at a small distance.
    constexpr double kFewestSteps = 64;
    double step = std::numeric_limits<float>::epsilon() *
                  std::max({std::abs(center.x), std::abs(center.y), std::abs(center.z)});
    distance = std::max(distance, kFewestSteps * step);
    camera.target = vec3(center);
    camera.eye = vec3(center + back * distance);
}

std::string camera_fault(const Camera& camera) {
    constexpr float kFarthest = 1e15f;  // squares of lengths stay finite
    for (vec3 v : {camera.eye, camera.target, camera.up})
        for (int axis = 0; axis < 3; ++axis)
            if (!(glm::abs(v[axis]) <= kFarthest)) return "a number is not finite or beyond 1e15";
    if (!(camera.vertical_fov >= kNarrowestFov && camera.vertical_fov <= kWidestFov))
        return "the field of view is not from 1 to 179 degrees";
    if (!(glm::length(camera.target - camera.eye) > 0)) return "eye and target are the same point";
    if (!(glm::length(camera.up) > 0)) return "up has no length";
    if (!(camera.lens_radius >= 0 && camera.lens_radius <= kFarthest))
        return "the lens radius is not from 0 to 1e15";
    if (!(camera.focus_distance >= 0 && camera.focus_distance <= kFarthest))
        return "the focus distance is not from 0 to 1e15";
    return "";
}

}  // namespace tl
