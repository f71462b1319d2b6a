#include "renderer/scene/scene_items.h"

namespace tl {
namespace {

constexpr const char* kItemNames[kItemKinds] = {"mesh",  "patches",   "sphere", "instance",
                                                "cloud", "gaussians", "light",  "material"};

/// Appends the runs of equal elements that are long enough.
template <class List, class Same>
void add_runs(const List& list, std::size_t first, bool splats, std::size_t fewest, Same same,
              std::vector<PointRange>& clouds) {
    while (first < list.size()) {
        std::size_t end = first + 1;
        while (end < list.size() && same(list[first], list[end])) ++end;
        if (end - first >= fewest)
            clouds.push_back({splats, first, end - first, list[first].material});
        first = end;
    }
}

}  // namespace

const char* name_of(ItemKind kind) {
    return kItemNames[static_cast<std::size_t>(kind)];
}

const char* name_of(ObjectKind kind) {
    return kItemNames[static_cast<std::size_t>(kind)];
}

Box bounds_of_points(const std::vector<vec3>& points) {
    Box box;
    for (auto& p : points) box.extend(p);
    return box;
}

Box bounds_of_sphere(const Sphere& sphere) {
    return bounds_of_cloud(std::span(&sphere, 1));
}

Box bounds_of_gaussians(const GaussianSet& set) {
    Box box;
    for (std::size_t i = 0; i < set.size(); ++i) box.extend(set.box(i));
    return box;
}

Box bounds_of_instance(const Mesh& mesh, const Instance& instance) {
    Box own = bounds_of_points(mesh.positions), box;
    for (int corner = 0; corner < 8 && !own.empty(); ++corner)
        box.extend(vec3(instance.transform * vec4(corner_of_box(own, corner), 1)));
    return box;
}

std::vector<PointRange> clouds_of(const Scene& scene, const SceneMark& mark) {
    std::vector<PointRange> clouds;
    auto same_splats = [](const Splat& a, const Splat& b) { return a.material == b.material; };
    auto same_spheres = [](const Sphere& a, const Sphere& b) {
        return a.material == b.material && a.radius == b.radius;
    };
    add_runs(scene.spheres, mark.spheres, false, PointRange::kFewestSpheres, same_spheres, clouds);
    add_runs(scene.splats, mark.splats, true, 1, same_splats, clouds);
    return clouds;
}

}  // namespace tl
