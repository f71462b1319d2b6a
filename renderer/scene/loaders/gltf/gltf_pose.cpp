#include "renderer/scene/loaders/gltf/gltf_pose.h"

#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <utility>

namespace tl {
namespace {

std::size_t at_index(int node) {
    return static_cast<std::size_t>(node);
}

}  // namespace

glm::dmat4 local_transform(const tinygltf::Node& node) {
    if (node.matrix.size() == 16) return glm::make_mat4(node.matrix.data());
    glm::dmat4 m(1);
    if (node.translation.size() == 3)
        m = glm::translate(m, glm::make_vec3(node.translation.data()));
    if (auto& r = node.rotation; r.size() == 4)
        m *= glm::mat4_cast(glm::dquat(r[3], r[0], r[1], r[2]));
    if (node.scale.size() == 3) m = glm::scale(m, glm::make_vec3(node.scale.data()));
    return m;
}

std::vector<int> GltfPose::roots(const GltfFile& file) {
    auto& nodes = file.model().nodes;
    std::vector<char> is_child(nodes.size(), 0);
    for (auto& node : nodes)
        for (int child : node.children)
            if (child >= 0 && at_index(child) < nodes.size()) is_child[at_index(child)] = 1;
    std::vector<int> roots;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!is_child[i]) roots.push_back(static_cast<int>(i));
    return roots;
}

GltfPose::GltfPose(const GltfFile& file, const GltfAnimation& animation) : file_(file) {
    auto& nodes = file.model().nodes;
    parent_.assign(nodes.size(), -1);
    motion_.resize(nodes.size());
    moves_.assign(nodes.size(), 0);
    transform_.assign(nodes.size(), glm::dmat4(1));
    std::vector<char> seen(nodes.size(), 0);
    for (int root : roots(file)) {
        seen[at_index(root)] = 1;
        order_.push_back(root);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
        int node = order_[i];
        if (auto* joint = animation.joint_of(node)) motion_[at_index(node)] = RigidMotion{{*joint}};
        int parent = parent_[at_index(node)];
        moves_[at_index(node)] =
            motion_[at_index(node)] || (parent >= 0 && moves_[at_index(parent)]);
        for (int child : nodes[at_index(node)].children) {
            if (child < 0 || at_index(child) >= nodes.size() || seen[at_index(child)]) continue;
            seen[at_index(child)] = 1;
            parent_[at_index(child)] = node;
            order_.push_back(child);
        }
    }
    pose();
}

void GltfPose::place(const glm::dmat4& root) {
    root_ = root;
    pose();
}

void GltfPose::set_time(std::optional<double> seconds) {
    if (std::exchange(seconds_, seconds) != seconds) pose();
}

void GltfPose::pose() {
    for (int node : order_) {
        auto& motion = motion_[at_index(node)];
        glm::dmat4 local = seconds_ && motion
                               ? motion->at(*seconds_)
                               : local_transform(file_.model().nodes[at_index(node)]);
        int parent = parent_[at_index(node)];
        transform_[at_index(node)] = (parent < 0 ? root_ : transform_[at_index(parent)]) * local;
    }
}

const glm::dmat4& GltfPose::of(int node) const {
    return file_.at(transform_, node, "node");
}

bool GltfPose::moves(int node) const {
    return file_.at(moves_, node, "node") != 0;
}

}  // namespace tl
