// Objects of an EditedScene: they are copied, transformed, and put back as they were.
#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/scene/scene_edits.h"

namespace tl {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};

template <class T>
void put_elements(std::vector<T>& list, const PointRange& range, const std::vector<T>& elements) {
    std::ranges::copy(elements, list.begin() + static_cast<std::ptrdiff_t>(range.first));
}

}  // namespace

vec3 EditedScene::center_before(const ObjectId& id) const {
    auto before = objects_.find(id);
    Box bounds = before == objects_.end() ? bounds_of(item_of(id)) : bounds_before(before->second);
    return bounds.empty() ? vec3(0) : bounds.center();
}

EditedScene::Object EditedScene::copy_of(const ObjectId& id) const {
    switch (id.kind) {
        case ObjectKind::mesh:
            return mesh(id.index);
        case ObjectKind::patches:
            return patches(id.index);
        case ObjectKind::sphere:
            return sphere(id.index);
        case ObjectKind::instance:
            return instance(id.index);
        case ObjectKind::cloud:
            break;
        case ObjectKind::gaussians:
            return gaussians(id.index);
    }
    auto& range = clouds_[id.index];
    if (range.splats) return elements_of(all_splats(), range);
    return elements_of(all_spheres(), range);
}

EditedScene::Object EditedScene::original(const ObjectId& id) const {
    auto known = objects_.find(id);
    return known == objects_.end() ? copy_of(id) : known->second;
}

void EditedScene::put(const ObjectId& id, Object object) {
    auto& scene = *scene_;
    const auto index = id.index;
    std::visit(Overloaded{[&](Mesh& mesh) { scene.meshes[index] = std::move(mesh); },
                          [&](PatchSet& set) { scene.patches[index] = std::move(set); },
                          [&](Sphere& sphere) { scene.spheres[index] = sphere; },
                          [&](Instance& instance) { scene.instances[index] = instance; },
                          [&](GaussianSet& set) { scene.gaussians[index] = std::move(set); },
                          [&](std::vector<Sphere>& spheres) {
                              put_elements(scene.spheres, clouds_[index], spheres);
                          },
                          [&](std::vector<Splat>& splats) {
                              put_elements(scene.splats, clouds_[index], splats);
                          }},
               object);
}

EditedScene::Object EditedScene::moved(const Object& before, const Box& bounds,
                                       const Transform& transform) {
    glm::dvec3 middle = bounds.empty() ? glm::dvec3(0) : glm::dvec3(bounds.center());
    Transform about = transform;
    about.translate += middle;
    // The object alone in a scene, so that the transform affects no other.
    Scene alone;
    auto move = [&] { tl::apply(about, alone, {}, false, -middle); };
    auto move_one = [&](auto& list, const auto& object) -> Object {
        list.push_back(object);
        move();
        return std::move(list.back());
    };
    auto move_all = [&](auto& list, const auto& cloud) -> Object {
        list = cloud;
        move();
        return std::move(list);
    };
    return std::visit(
        Overloaded{[&](const Mesh& mesh) { return move_one(alone.meshes, mesh); },
                   [&](const PatchSet& set) { return move_one(alone.patches, set); },
                   [&](const Sphere& sphere) { return move_one(alone.spheres, sphere); },
                   [&](const Instance& instance) { return move_one(alone.instances, instance); },
                   [&](const GaussianSet& set) { return move_one(alone.gaussians, set); },
                   [&](const std::vector<Sphere>& cloud) { return move_all(alone.spheres, cloud); },
                   [&](const std::vector<Splat>& cloud) { return move_all(alone.splats, cloud); }},
        before);
}

Box EditedScene::bounds_before(const Object& before) const {
    return std::visit(
        Overloaded{
            [](const Mesh& mesh) { return bounds_of_points(mesh.positions); },
            [](const PatchSet& set) { return bounds_of_points(set.points); },
            [](const Sphere& sphere) { return bounds_of_sphere(sphere); },
            [&](const Instance& instance) {
                return bounds_of_instance(mesh(instance.mesh), instance);
            },
            [](const GaussianSet& set) { return bounds_of_gaussians(set); },
            [](const std::vector<Sphere>& cloud) { return bounds_of_cloud(std::span(cloud)); },
            [](const std::vector<Splat>& cloud) { return bounds_of_cloud(std::span(cloud)); }},
        before);
}

void EditedScene::change_object(const ObjectId& id, const Transform* transform,
                                PreparedEdits* prepared) {
    bool ready = prepared && prepared->moved.contains(id) &&
                 prepared->transforms.at(id) == (transform ? *transform : Transform{});
    if (!objects_.contains(id)) {
        if (ready && prepared->before.contains(id))
            objects_.emplace(id, std::move(prepared->before.at(id)));
        else
            objects_.emplace(id, copy_of(id));
    }
    auto& before = objects_.at(id);
    if (ready)
        put(id, std::move(prepared->moved.at(id)));
    else
        put(id, transform ? moved(before, bounds_before(before), *transform) : before);
}

}  // namespace tl
