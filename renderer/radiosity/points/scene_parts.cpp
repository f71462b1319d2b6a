#include "renderer/radiosity/points/scene_parts.h"

#include <algorithm>
#include <iterator>

#include "accel/morton.h"
#include "renderer/radiosity/points/fingerprint.h"
#include "renderer/radiosity/points/scene_fingerprint.h"
#include "renderer/scene/export/moment.h"
#include "renderer/scene/live/animation.h"

namespace tl {
namespace {

Box box_of(const std::vector<vec3>& points) {
    Box box;
    for (vec3 point : points) box.extend(point);
    return box;
}

Box box_of_ball(vec3 center, float radius) {
    return {center - radius, center + radius};
}

class PartList {
  public:
    PartList(const Scene& scene, float time)
        : scene_(scene), phase_(phase_of(time, scene.duration)) {
        // Surfaces that rays pass: smooth glass, and holes of cutouts.
        common_.add_value(fingerprint_of_glass(scene));
        for (auto& material : scene.materials) {
            common_.add_value(material.alpha_texture);
            common_.add_value(material.alpha_cutoff);
        }
        add_meshes();
        for (auto& set : scene.patches) add(patches_at(set, phase_, scene.duration));
        for (auto& sphere : scene.spheres)
            add(box_of_ball(sphere.center, sphere.radius), sphere.center, sphere.radius,
                sphere.material);
        for (auto& splat : scene.splats)
            add(box_of_ball(splat.center, splat.radius), splat.center, splat.radius, splat.normal);
        for (auto& light : scene.lights) add(light);
        std::ranges::sort(parts_, {}, &ScenePart::hash);
    }
    [[nodiscard]] std::vector<ScenePart> take() { return std::move(parts_); }

  private:
    template <class... Values>
    void add(const Box& box, const Values&... values) {
        Fingerprint hash = common_;
        (hash.add_value(values), ...);
        parts_.push_back({hash.value(), box});
    }
    void add_meshes() {
        std::vector<ScenePart> meshes;
        for (auto& mesh : scene_.meshes) {
            bool moves = mesh.animation.kind != AnimationKind::none;
            meshes.push_back(moves ? part_of(mesh_at(mesh, phase_, scene_.duration))
                                   : part_of(mesh));
            if (!mesh.instanced) parts_.push_back(meshes.back());
        }
        for (auto& instance : scene_.instances) {
            const ScenePart& mesh = meshes[instance.mesh];
            mat4 transform = transform_at(instance, phase_, scene_.duration);
            Box box;
            for (int corner = 0; corner < 8 && !mesh.box.empty(); ++corner)
                box.extend(vec3(transform * vec4(corner_of_box(mesh.box, corner), 1)));
            add(box, mesh.hash, transform, instance.material);
        }
    }
    [[nodiscard]] ScenePart part_of(const Mesh& mesh) const {
        Fingerprint hash = common_;
        hash.add(mesh.positions);
        hash.add(mesh.uvs);
        hash.add(mesh.triangles);
        hash.add(mesh.material_of_triangle);
        return {hash.value(), box_of(mesh.positions)};
    }
    /// A patch lies within the convex hull of its control points.
    void add(const PatchSet& set) {
        Fingerprint hash = common_;
        hash.add(set.points);
        hash.add(set.weights);
        hash.add(set.corner_uvs);
        hash.add(set.material_of_patch);
        parts_.push_back({hash.value(), box_of(set.points)});
    }
    void add(const Light& light) {
        if (!has_surface(light.kind)) return;
        if (light.kind == LightKind::sphere)
            return add(box_of_ball(light.position, light.radius), light.kind, light.position,
                       light.radius);
        vec3 u = light.edge_u, v = light.edge_v;
        add(box_of(
                {light.position, light.position + u, light.position + v, light.position + u + v}),
            light.kind, light.position, u, v);
    }

    const Scene& scene_;
    double phase_;
    Fingerprint common_;  ///< data that affects all parts
    std::vector<ScenePart> parts_;
};

}  // namespace

std::vector<ScenePart> parts_of(const Scene& scene, float time) {
    return PartList(scene, time).take();
}

std::vector<Box> changed_boxes(std::span<const ScenePart> before, std::span<const ScenePart> now,
                               std::size_t most) {
    std::vector<ScenePart> changed;
    std::ranges::set_symmetric_difference(before, now, std::back_inserter(changed), {},
                                          &ScenePart::hash, &ScenePart::hash);
    std::erase_if(changed, [](const ScenePart& part) { return part.box.empty(); });
    Box all;
    for (auto& part : changed) all.extend(part.box);
    auto grid = MortonGrid::make(all, 63);
    std::ranges::sort(changed, {}, [&](const ScenePart& part) {
        return grid.code<std::uint64_t>(part.box.center());
    });
    std::size_t n_each = (changed.size() + most - 1) / most;
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < changed.size(); ++i) {
        if (i % n_each == 0) boxes.emplace_back();
        boxes.back().extend(changed[i].box);
    }
    return boxes;
}

}  // namespace tl
