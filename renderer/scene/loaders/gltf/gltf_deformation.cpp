#include "renderer/scene/loaders/gltf/gltf_deformation.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/type_ptr.hpp>

namespace tl {
namespace {

void add_scaled(std::vector<vec3>& sums, const std::vector<vec3>& steps, float scale) {
    for (std::size_t i = 0; i < std::min(sums.size(), steps.size()); ++i)
        sums[i] += scale * steps[i];
}

}  // namespace

GltfDeformation::GltfDeformation(const GltfFile& file, const GltfGeometry& geometry,
                                 const tinygltf::Primitive& source, const Mesh& mesh, int skin)
    : rest_{mesh.positions, mesh.normals} {
    auto read = [&](const std::map<std::string, int>& target, const char* attribute) {
        auto found = target.find(attribute);
        if (found == target.end()) return std::vector<vec3>{};
        auto steps = geometry.vectors(found->second);
        if (steps.size() != mesh.positions.size())
            file.fail("mesh '" + mesh.name + "' has a morph target with another count of vertices");
        return steps;
    };
    for (auto& target : source.targets)
        targets_.push_back({read(target, "POSITION"), read(target, "NORMAL")});
    if (skin >= 0) read_skin(file, geometry, mesh, skin);
}

void GltfDeformation::read_skin(const GltfFile& file, const GltfGeometry& geometry,
                                const Mesh& mesh, int skin) {
    auto& source = file.at(file.model().skins, skin, "skin");
    std::vector<float> matrices;
    if (source.inverseBindMatrices >= 0) matrices = file.numbers(source.inverseBindMatrices, 16);
    if (!matrices.empty() && matrices.size() / 16 < source.joints.size())
        file.fail("skin " + std::to_string(skin) + " has fewer matrices than joints");
    for (std::size_t i = 0; i < source.joints.size(); ++i) {
        glm::dmat4 from_mesh(1);
        if (!matrices.empty()) from_mesh = glm::dmat4(glm::make_mat4(&matrices[16 * i]));
        (void)file.at(file.model().nodes, source.joints[i], "node");
        joints_.push_back({source.joints[i], from_mesh});
    }
    std::size_t n_vertices = mesh.positions.size();
    constexpr int kMostSets = 4;  // of four joints for each vertex
    std::vector<std::vector<float>> joints, weights;
    for (int set = 0; set < kMostSets; ++set) {
        auto index = geometry.numbers(("JOINTS_" + std::to_string(set)).c_str(), 4);
        auto weight = geometry.numbers(("WEIGHTS_" + std::to_string(set)).c_str(), 4);
        if (index.empty() || weight.empty()) break;
        if (index.size() != 4 * n_vertices || weight.size() != 4 * n_vertices)
            file.fail("mesh '" + mesh.name + "' has another count of joints than of positions");
        joints.push_back(std::move(index));
        weights.push_back(std::move(weight));
    }
    if (joints.empty()) joints_.clear();
    n_influences_ = 4 * joints.size();
    influences_.reserve(n_influences_ * n_vertices);
    for (std::size_t v = 0; v < n_vertices; ++v)
        for (std::size_t set = 0; set < joints.size(); ++set)
            for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
                float joint = joints[set][k], weight = weights[set][k];
                if (!std::isfinite(weight)) weight = 0;
                if (weight != 0 && !(joint >= 0 && joint < static_cast<float>(joints_.size())))
                    file.fail("mesh '" + mesh.name + "' names a joint that its skin has not");
                influences_.push_back(
                    {weight != 0 ? static_cast<std::uint32_t>(joint) : 0, weight});
            }
}

bool GltfDeformation::moves(const GltfPose& pose) const {
    return std::ranges::any_of(joints_, [&](auto& joint) { return pose.moves(joint.node); });
}

MeshFrame GltfDeformation::morphed(std::span<const float> weights) const {
    MeshFrame frame = rest_;
    for (std::size_t i = 0; i < std::min(weights.size(), targets_.size()); ++i) {
        if (weights[i] == 0) continue;
        add_scaled(frame.positions, targets_[i].positions, weights[i]);
        add_scaled(frame.normals, targets_[i].normals, weights[i]);
    }
    return frame;
}

void GltfDeformation::move_by_skin(const GltfPose& pose, MeshFrame& frame) const {
    std::vector<mat4> moves;
    moves.reserve(joints_.size());
    for (auto& joint : joints_) moves.emplace_back(pose.of(joint.node) * joint.from_mesh);
    for (std::size_t v = 0; v < frame.positions.size(); ++v) {
        mat4 sum(0);
        float total = 0;
        for (std::size_t k = v * n_influences_; k < (v + 1) * n_influences_; ++k) {
            auto [joint, weight] = influences_[k];
            if (weight == 0) continue;
            sum += weight * moves[joint];
            total += weight;
        }
        // Weights that do not sum to 1 would scale the mesh about the origin.
        if (!(total > 0)) continue;
        sum = (1 / total) * sum;
        frame.positions[v] = vec3(sum * vec4(frame.positions[v], 1));
        if (frame.normals.empty()) continue;
        glm::mat3 m(sum);
        glm::mat3 cofactors(glm::cross(m[1], m[2]), glm::cross(m[2], m[0]), glm::cross(m[0], m[1]));
        if (glm::determinant(m) < 0) cofactors = -cofactors;
        frame.normals[v] = cofactors * frame.normals[v];
    }
}

bool GltfDeformation::mirrors(const GltfPose& pose) const {
    return !joints_.empty() && glm::determinant(glm::dmat3(pose.of(joints_[0].node)) *
                                                glm::dmat3(joints_[0].from_mesh)) < 0;
}

}  // namespace tl
