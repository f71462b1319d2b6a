#include "renderer/scene/loaders/gltf/gltf_frames.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/loaders/placed_mesh.h"

namespace tl {

GltfFrames::GltfFrames(const GltfFile& file, const GltfAnimation& animation)
    : file_(file), animation_(animation), pose_(file, animation) {}

bool GltfFrames::deforms(int node) const {
    if (node < 0) return false;
    auto& source = file_.at(file_.model().nodes, node, "node");
    return source.skin >= 0 || !source.weights.empty() || animation_.has_weights(node);
}

int GltfFrames::skin_of(int node) const {
    return node < 0 ? -1 : file_.at(file_.model().nodes, node, "node").skin;
}

bool GltfFrames::moves(const GltfDeformation& deformation, int node) const {
    bool morphs = node >= 0 && deformation.n_targets() > 0 && animation_.has_weights(node);
    return animation_.length() > 0 && (morphs || deformation.moves(pose_));
}

std::vector<float> GltfFrames::weights(const GltfDeformation& deformation,
                                       const tinygltf::Mesh& owner, int node,
                                       std::optional<double> seconds) const {
    if (seconds && animation_.has_weights(node))
        return animation_.weights_at(node, *seconds, deformation.n_targets());
    auto& own =
        node < 0 ? owner.weights : file_.model().nodes[static_cast<std::size_t>(node)].weights;
    std::vector<float> weights;
    for (double weight : own.empty() ? owner.weights : own)
        weights.push_back(std::isfinite(weight) ? static_cast<float>(weight) : 0);
    weights.resize(deformation.n_targets());
    return weights;
}

MeshFrame GltfFrames::vertices(const GltfDeformation& deformation, const tinygltf::Mesh& owner,
                               int node, std::optional<double> seconds) {
    MeshFrame frame = deformation.morphed(weights(deformation, owner, node, seconds));
    if (seconds || deformation.has_skin()) pose_.set_time(seconds);
    if (deformation.has_skin()) deformation.move_by_skin(pose_, frame);
    return frame;
}

bool GltfFrames::sample(Mesh& mesh, const GltfDeformation& deformation, const tinygltf::Mesh& owner,
                        int node) {
    constexpr double kRate = 30, kMostFrames = 300;  // a second; of a mesh
    constexpr std::size_t kFewestFrames = 8;
    constexpr std::size_t kMostBytes = std::size_t{512} << 20, kMostPoses = 30'000'000;
    auto wanted = static_cast<std::size_t>(
        std::clamp(std::ceil(double(animation_.length()) * kRate), 2.0, kMostFrames));
    std::size_t n_poses = file_.model().nodes.size() + deformation.n_joints();
    std::size_t frame_bytes = 2 * sizeof(vec3) * mesh.positions.size();
    std::size_t n =
        std::min({wanted, (kMostBytes - bytes_) / frame_bytes, (kMostPoses - n_poses_) / n_poses});
    if (n < std::min(wanted, kFewestFrames)) return false;
    bytes_ += n * frame_bytes;
    n_poses_ += n * n_poses;

    bool has_normals = !mesh.normals.empty();
    pose_.set_time({});
    if (deformation.mirrors(pose_))
        for (auto& triangle : mesh.triangles) std::swap(triangle.y, triangle.z);
    Mesh moved;
    for (std::size_t i = 0; i < n; ++i) {
        double seconds =
            double(animation_.length()) * static_cast<double>(i) / static_cast<double>(n);
        MeshFrame frame = vertices(deformation, owner, node, seconds);
        moved.positions = std::move(frame.positions);
        moved.normals = std::move(frame.normals);
        moved.triangles = mesh.triangles;
        if (!place_mesh(moved, deformation.has_skin() ? glm::dmat4(1) : pose_.of(node)))
            file_.fail("mesh '" + mesh.name +
                       "' moves to a position that is not finite or beyond 1e15");
        // A zero normal means that of the triangle.
        if (has_normals) moved.normals.resize(moved.positions.size(), vec3(0));
        mesh.frames.push_back({moved.positions, moved.normals});
    }
    mesh.triangles = std::move(moved.triangles);
    mesh.positions = mesh.frames[0].positions;
    mesh.normals = mesh.frames[0].normals;
    mesh.animation.kind = AnimationKind::frames;
    mesh.animation.period = animation_.length();
    return true;
}

void GltfFrames::rest(Mesh& mesh, const GltfDeformation& deformation, const tinygltf::Mesh& owner,
                      int node) {
    MeshFrame frame = vertices(deformation, owner, node, {});
    mesh.positions = std::move(frame.positions);
    mesh.normals = std::move(frame.normals);
    if (deformation.has_skin() && deformation.mirrors(pose_))
        for (auto& triangle : mesh.triangles) std::swap(triangle.y, triangle.z);
}

}  // namespace tl
