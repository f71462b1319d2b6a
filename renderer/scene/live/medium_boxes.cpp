#include "renderer/scene/live/medium_boxes.h"

#include <algorithm>

namespace tl {
namespace {

bool is_medium(const Scene& scene, std::int32_t material) {
    return material >= 0 &&
           scene.materials[static_cast<std::size_t>(material)].kind == MaterialKind::dielectric;
}

Box everywhere() {
    Box box;
    box.lo = vec3(-kInfinity);
    box.hi = vec3(kInfinity);
    return box;
}

Box box_around(const std::vector<vec3>& points) {
    Box box;
    for (vec3 p : points) box.extend(p);
    return box;
}

/// A box around all frames of a mesh or a set of patches with these points at rest.
Box box_over_time(const std::vector<vec3>& at_rest, const Animation& animation,
                  const std::vector<MeshFrame>& frames) {
    Box box = box_around(at_rest);
    if (animation.kind == AnimationKind::none) return box;
    if (animation.kind != AnimationKind::frames) return everywhere();
    for (auto& frame : frames)
        for (vec3 p : frame.positions) box.extend(p);
    return box;
}

Box transformed(const mat4& m, const Box& box) {
    Box result;
    for (int corner = 0; corner < 8; ++corner) {
        vec3 p(corner & 1 ? box.hi.x : box.lo.x, corner & 2 ? box.hi.y : box.lo.y,
               corner & 4 ? box.hi.z : box.lo.z);
        result.extend(vec3(m * vec4(p, 1)));
    }
    return result;
}

Box box_of_instance(const Scene& scene, const Instance& instance) {
    auto& mesh = scene.meshes[instance.mesh];
    if (instance.walk.radius != 0 || mesh.animation.kind != AnimationKind::none)
        return everywhere();
    return transformed(instance.transform, box_around(mesh.positions));
}

}  // namespace

std::vector<Box> medium_boxes(const Scene& scene) {
    auto is = [&](std::int32_t material) { return is_medium(scene, material); };
    std::vector<Box> boxes;
    std::vector<bool> has_medium;
    for (auto& mesh : scene.meshes) {
        has_medium.push_back(std::ranges::any_of(mesh.material_of_triangle, is));
        if (has_medium.back() && !mesh.instanced)
            boxes.push_back(box_over_time(mesh.positions, mesh.animation, mesh.frames));
    }
    for (auto& instance : scene.instances)
        if (instance.material >= 0 ? is(instance.material) : has_medium[instance.mesh])
            boxes.push_back(box_of_instance(scene, instance));
    for (auto& set : scene.patches)
        if (std::ranges::any_of(set.material_of_patch, is))
            boxes.push_back(box_over_time(set.points, set.animation, set.frames));
    for (auto& sphere : scene.spheres)
        if (is(sphere.material))
            boxes.push_back({sphere.center - sphere.radius, sphere.center + sphere.radius});
    Box around_splats;
    for (auto& splat : scene.splats)
        if (is(splat.material)) {
            around_splats.extend(splat.center - splat.radius);
            around_splats.extend(splat.center + splat.radius);
        }
    boxes.push_back(around_splats);
    return boxes;
}

bool media_matter(const Scene& scene) {
    auto n = std::ranges::count_if(
        scene.materials, [](const Material& m) { return m.kind == MaterialKind::dielectric; });
    return n > 1 || std::ranges::any_of(scene.materials, [](const Material& m) {
               return m.kind == MaterialKind::dielectric && m.absorption != vec3(0);
           });
}

}  // namespace tl
