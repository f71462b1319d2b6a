#include "renderer/scene/loaders/gltf/gltf_instances.h"

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>

namespace tl {
namespace {

constexpr const char* kExtension = "EXT_mesh_gpu_instancing";

/// The rows of the attribute `name`; empty if it is missing.
std::vector<float> attribute(const GltfFile& file, const tinygltf::Value& attributes,
                             const char* name, int per_row) {
    if (!attributes.Has(name)) return {};
    auto& accessor = attributes.Get(name);
    if (!accessor.IsInt()) file.fail(std::string(kExtension) + ": " + name + " names no accessor");
    return file.numbers(accessor.GetNumberAsInt(), per_row);
}

}  // namespace

bool is_instanced(const tinygltf::Node& node) {
    return node.extensions.contains(kExtension);
}

std::vector<glm::dmat4> instance_transforms(const GltfFile& file, const tinygltf::Node& node) {
    auto* attributes = extension_member(node.extensions, kExtension, "attributes");
    if (!attributes) file.fail(std::string(kExtension) + " has no attributes");
    std::vector<float> moves = attribute(file, *attributes, "TRANSLATION", 3);
    std::vector<float> turns = attribute(file, *attributes, "ROTATION", 4);
    std::vector<float> scales = attribute(file, *attributes, "SCALE", 3);
    std::size_t count = std::max({moves.size() / 3, turns.size() / 4, scales.size() / 3});
    if ((!moves.empty() && moves.size() / 3 != count) ||
        (!turns.empty() && turns.size() / 4 != count) ||
        (!scales.empty() && scales.size() / 3 != count))
        file.fail(std::string(kExtension) + ": its attributes differ in length");
    std::vector<glm::dmat4> transforms(count, glm::dmat4(1));
    for (std::size_t i = 0; i < count; ++i) {
        glm::dmat4& m = transforms[i];
        if (const float* t = moves.data() + 3 * i; !moves.empty())
            m = glm::translate(m, {t[0], t[1], t[2]});
        if (const float* r = turns.data() + 4 * i; !turns.empty())
            m *= glm::mat4_cast(glm::normalize(glm::dquat(r[3], r[0], r[1], r[2])));
        if (const float* s = scales.data() + 3 * i; !scales.empty())
            m = glm::scale(m, {s[0], s[1], s[2]});
    }
    return transforms;
}

}  // namespace tl
