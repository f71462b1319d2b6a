#include "renderer/scene/live/medium_boxes.h"

#include <algorithm>

#include "renderer/scene/live/animation.h"

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

/// Whether a box holds all positions of the motion.
bool has_bounds(const Animation& animation) {
    return animation.kind == AnimationKind::none || animation.kind == AnimationKind::frames ||
           animation.kind == AnimationKind::wave;
}

/// A box around the points of a mesh or a set of patches at all times. `used`: whether the point of
/// an index counts. Infinite for unbounded motion.
template <class Used>
Box box_over_time(const std::vector<vec3>& at_rest, const Animation& animation,
                  const std::vector<MeshFrame>& frames, Used used) {
    if (!has_bounds(animation)) return everywhere();
    Box box;
    auto add = [&](const std::vector<vec3>& points) {
        for (std::size_t i = 0; i < points.size(); ++i)
            if (used(i)) box.extend(points[i]);
    };
    add(at_rest);
    for (auto& frame : frames) add(frame.positions);
    if (animation.kind == AnimationKind::wave) {
        vec3 rise = animation.height * glm::abs(animation.lift);
        box.lo -= rise, box.hi += rise;
    }
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

bool media_matter(const Scene& scene) {
    auto n = std::ranges::count_if(
        scene.materials, [](const Material& m) { return m.kind == MaterialKind::dielectric; });
    return n > 1 || std::ranges::any_of(scene.materials, [](const Material& m) {
               return m.kind == MaterialKind::dielectric && m.absorption != vec3(0);
           });
}

bool has_medium(const Scene& scene, const Mesh& mesh) {
    return std::ranges::any_of(mesh.material_of_triangle,
                               [&](std::int32_t material) { return is_medium(scene, material); });
}

}  // namespace

MediumBoxes::MediumBoxes(const Scene& scene) : duration_(scene.duration) {
    if (!media_matter(scene)) return;
    for (auto& mesh : scene.meshes)
        if (!mesh.instanced && has_medium(scene, mesh)) add_mesh(scene, mesh);
    for (auto& instance : scene.instances)
        if (instance.material >= 0 ? is_medium(scene, instance.material)
                                   : has_medium(scene, scene.meshes[instance.mesh]))
            add(box_of_instance(scene, instance));
    for (auto& set : scene.patches)
        if (std::ranges::any_of(set.material_of_patch,
                                [&](std::int32_t m) { return is_medium(scene, m); }))
            add(box_over_time(set.points, set.animation, set.frames,
                              [](std::size_t) { return true; }));
    for (auto& sphere : scene.spheres)
        if (is_medium(scene, sphere.material))
            add({sphere.center - sphere.radius, sphere.center + sphere.radius});
    Box around_splats;
    for (auto& splat : scene.splats)
        if (is_medium(scene, splat.material)) {
            around_splats.extend(splat.center - splat.radius);
            around_splats.extend(splat.center + splat.radius);
        }
    if (around_splats.lo.x <= around_splats.hi.x) add(around_splats);
}

void MediumBoxes::add_mesh(const Scene& scene, const Mesh& mesh) {
    std::vector<bool> in_medium(mesh.positions.size());
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
        if (is_medium(scene, mesh.material_of_triangle[i]))
            for (int k = 0; k < 3; ++k) in_medium[mesh.triangles[i][k]] = true;
    auto used = [&](std::size_t i) { return in_medium[i]; };
    if (mesh.animation.kind != AnimationKind::rigid)
        return add(box_over_time(mesh.positions, mesh.animation, mesh.frames, used));
    float period = mesh.animation.period;
    boxes_.push_back({box_over_time(mesh.positions, {}, {}, used), mesh.animation.rigid,
                      double(period > 0 ? period : scene.duration)});
}

bool MediumBoxes::contain(vec3 point, float time) const {
    double phase = phase_of(time, duration_);
    return std::ranges::any_of(boxes_, [&](const MediumBox& b) {
        Box box = b.box;
        if (b.motion) {
            double in_round = phase_of_round(phase, static_cast<float>(b.period), duration_);
            box = transformed(mat4(b.motion->at(in_round * b.period)), box);
        }
        // Moving vertices are rounded differently from boxes.
        vec3 margin = 1e-5f * (glm::abs(box.lo) + glm::abs(box.hi));
        return glm::all(glm::lessThanEqual(box.lo - margin, point)) &&
               glm::all(glm::lessThanEqual(point, box.hi + margin));
    });
}

}  // namespace tl
