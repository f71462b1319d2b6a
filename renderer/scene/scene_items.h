// Parts of an open scene, which are listed, named, hidden and deleted one by one.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

enum class ObjectKind : std::int32_t { mesh, patches, sphere, instance, cloud, gaussians };

/// An object that can be transformed: its number among those of its kind.
struct ObjectId {
    ObjectKind kind = ObjectKind::mesh;
    std::uint32_t index = 0;
    auto operator<=>(const ObjectId&) const = default;
};
/// Whether an object takes a scale for each axis; spheres and clouds take one for all.
[[nodiscard]] constexpr bool is_scaled_by_axes(const ObjectId& id) {
    return id.kind != ObjectKind::sphere && id.kind != ObjectKind::cloud;
}

/// Kinds of parts. The first six are those of ObjectKind.
enum class ItemKind : std::int32_t {
    mesh,
    patches,
    sphere,
    instance,
    cloud,
    gaussians,
    light,
    material,
};
inline constexpr std::size_t kItemKinds = 8;
/// Whether parts of this kind are objects.
[[nodiscard]] constexpr bool is_object(ItemKind kind) {
    return kind <= ItemKind::gaussians;
}

/// A part of a scene: its number among those of its kind, which hiding and deleting others leave
/// unchanged.
struct ItemId {
    ItemKind kind = ItemKind::mesh;
    std::uint32_t index = 0;
    auto operator<=>(const ItemId&) const = default;
};
[[nodiscard]] inline ItemId item_of(const ObjectId& id) {
    return {static_cast<ItemKind>(id.kind), id.index};
}
/// The part must be an object.
[[nodiscard]] inline ObjectId object_of(const ItemId& id) {
    return {static_cast<ObjectKind>(id.kind), id.index};
}

/// "mesh", "patches", "sphere", "instance", "cloud" or "gaussians".
[[nodiscard]] const char* name_of(ObjectKind kind);
/// The key by which scene files name a part: "mesh", ..., "cloud", "gaussians", "light",
/// "material".
[[nodiscard]] const char* name_of(ItemKind kind);

[[nodiscard]] Box bounds_of_points(const std::vector<vec3>& points);
[[nodiscard]] Box bounds_of_sphere(const Sphere& sphere);
[[nodiscard]] Box bounds_of_gaussians(const GaussianSet& set);
/// Bounds of a cloud's spheres or splats.
template <class Element>
[[nodiscard]] Box bounds_of_cloud(std::span<Element> cloud) {
    Box box;
    for (auto& element : cloud) {
        box.extend(element.center - element.radius);
        box.extend(element.center + element.radius);
    }
    return box;
}
/// The transformed bounds of the instance's mesh.
[[nodiscard]] Box bounds_of_instance(const Mesh& mesh, const Instance& instance);

/// Names and marks of parts.
struct ItemMarks {
    std::map<ItemId, std::string> names{};  ///< new names
    std::set<ItemId> hidden{};
    std::set<ItemId> deleted{};

    [[nodiscard]] bool leaves_out(const ItemId& id) const {
        return hidden.contains(id) || deleted.contains(id);
    }
    bool operator==(const ItemMarks&) const = default;
};

/// A cloud of points: neighbours in the lists of a scene that have one material, either splats, or
/// many spheres of one radius.
struct PointRange {
    static constexpr std::size_t kFewestSpheres = 1000;
    bool splats = false;  ///< else spheres
    std::size_t first = 0, count = 0;
    std::int32_t material = 0;
};
/// The elements of a cloud, from the list of spheres or splats that has them.
template <class Element>
[[nodiscard]] std::vector<Element> elements_of(const std::vector<Element>& list,
                                               const PointRange& range) {
    auto first = list.begin() + static_cast<std::ptrdiff_t>(range.first);
    return {first, first + static_cast<std::ptrdiff_t>(range.count)};
}
/// The clouds among the spheres and splats added since `mark`, in the order of the lists.
[[nodiscard]] std::vector<PointRange> clouds_of(const Scene& scene, const SceneMark& mark = {});

}  // namespace tl
