// Parts of an open scene, which are listed, named, hidden and deleted one by one.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

enum class ObjectKind : std::int32_t { mesh, patches, sphere, instance };

/// An object that can be transformed: an index into the scene's list of its kind.
struct ObjectId {
    ObjectKind kind = ObjectKind::mesh;
    std::uint32_t index = 0;
    auto operator<=>(const ObjectId&) const = default;
};

/// Kinds of parts. The first four are those of ObjectKind.
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

/// "mesh", "patches", "sphere" or "instance".
[[nodiscard]] const char* name_of(ObjectKind kind);
/// The key by which scene files name a part: "mesh", ..., "cloud", "gaussians", "light",
/// "material".
[[nodiscard]] const char* name_of(ItemKind kind);

[[nodiscard]] Box bounds_of_points(const std::vector<vec3>& points);
[[nodiscard]] Box bounds_of_sphere(const Sphere& sphere);
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
/// The clouds among the spheres and splats added since `mark`, in the order of the lists.
[[nodiscard]] std::vector<PointRange> clouds_of(const Scene& scene, const SceneMark& mark = {});

}  // namespace tl
