#include "renderer/scene/loaders/gltf/gltf_nodes.h"

#include <cmath>
#include <glm/gtc/type_ptr.hpp>
#include <utility>

#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/gltf/gltf_instances.h"
#include "renderer/scene/loaders/gltf/gltf_pose.h"

namespace tl {
namespace {

using glm::dmat4;
using glm::dvec3;

/// The bounds of a primitive's positions: as the file says, else of the positions; empty where it
/// has none.
WideBox bounds_of_positions(const GltfFile& file, const tinygltf::Primitive& primitive) {
    WideBox bounds;
    auto attribute = primitive.attributes.find("POSITION");
    if (attribute == primitive.attributes.end()) return bounds;
    auto& accessor = file.at(file.model().accessors, attribute->second, "accessor");
    auto extend = [&](const dvec3& p) {
        for (int axis = 0; axis < 3; ++axis)
            if (!(std::abs(p[axis]) <= kLargestCoordinate)) return;
        bounds.extend(p);
    };
    if (accessor.minValues.size() == 3 && accessor.maxValues.size() == 3) {
        float scale = file.full_scale(attribute->second);
        for (auto* end : {&accessor.minValues, &accessor.maxValues})
            extend(dvec3(glm::make_vec3(end->data())) / (scale > 0 ? double{scale} : 1));
    } else if (file.has_no_data(attribute->second)) {
        bool is_compressed = primitive.extensions.contains("KHR_draco_mesh_compression");
        if (!is_compressed) extend(dvec3(0));
    } else {
        auto numbers = file.numbers(attribute->second, 3);
        for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
            extend(dvec3(glm::make_vec3(&numbers[i])));
    }
    return bounds;
}

void extend(WideBox& bounds, const GltfFile& file, const tinygltf::Mesh& mesh,
            const dmat4& transform) {
    for (auto& primitive : mesh.primitives) {
        WideBox own = bounds_of_positions(file, primitive);
        for (unsigned corner = 0; corner < 8 && own.lo.x <= own.hi.x; ++corner) {
            dvec3 p(corner & 1 ? own.hi.x : own.lo.x, corner & 2 ? own.hi.y : own.lo.y,
                    corner & 4 ? own.hi.z : own.lo.z);
            bounds.extend(dvec3(transform * glm::dvec4(p, 1)));
        }
    }
}

}  // namespace

WideBox bounds_of_nodes(const GltfFile& file, const std::vector<int>& roots) {
    auto& model = file.model();
    WideBox bounds;
    std::vector<std::pair<int, dmat4>> open;
    for (int root : roots) open.emplace_back(root, dmat4(1));
    std::vector<char> seen(model.nodes.size(), 0);
    while (!open.empty()) {
        auto [index, parent] = open.back();
        open.pop_back();
        auto& node = file.at(model.nodes, index, "node");
        if (std::exchange(seen[static_cast<std::size_t>(index)], 1)) continue;
        dmat4 place = parent * local_transform(node);
        for (int child : node.children) open.emplace_back(child, place);
        if (node.mesh < 0 || node.skin >= 0) continue;
        auto& mesh = file.at(model.meshes, node.mesh, "mesh");
        if (is_instanced(node))
            for (auto& copy : instance_transforms(file, node))
                extend(bounds, file, mesh, place * copy);
        else
            extend(bounds, file, mesh, place);
    }
    return bounds;
}

}  // namespace tl
