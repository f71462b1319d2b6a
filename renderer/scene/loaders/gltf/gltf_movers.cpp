#include "renderer/scene/loaders/gltf/gltf_movers.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "renderer/scene/loaders/gltf/gltf_pose.h"

namespace tl {
namespace {

using glm::dmat4;

/// The memory that a joint takes, bytes.
std::size_t size_of(const Joint& joint) {
    auto keys = [](const auto& track) {
        return std::span(track.times).size_bytes() + std::span(track.values).size_bytes();
    };
    return sizeof joint + keys(joint.translation) + keys(joint.rotation) + keys(joint.scale);
}

}  // namespace

dmat4 GltfPlacement::rest() const {
    bool is_flat = !(std::abs(glm::determinant(glm::dmat3(transform))) > 0);
    return is_flat ? dmat4(1) : transform;
}

GltfPlacement GltfMovers::place_of(int node, const GltfPlacement& parent) {
    dmat4 local = local_transform(file_.model().nodes[static_cast<std::size_t>(node)]);
    GltfPlacement place = parent;
    place.transform *= local;
    place.node = node;
    if (animation_.joint_of(node)) {
        movers_.push_back({node, place.mover, std::exchange(place.within, dmat4(1))});
        place.mover = static_cast<int>(movers_.size()) - 1;
    } else {
        place.within *= local;
    }
    return place;
}

std::optional<RigidMotion> GltfMovers::motion_at(const GltfPlacement& place) {
    constexpr std::size_t kAlwaysTaken = std::size_t{64} << 20, kMostPerByte = 16;
    const std::size_t most = std::max(kAlwaysTaken, kMostPerByte * file_.n_bytes());
    std::vector<const Mover*> movers;  // the innermost first
    std::size_t n_bytes = 0;
    for (int i = place.mover; i >= 0; i = movers.back()->outer) {
        movers.push_back(&movers_[static_cast<std::size_t>(i)]);
        n_bytes += size_of(*animation_.joint_of(movers.back()->node));
        if (n_bytes > most - n_bytes_) return {};
    }
    n_bytes_ += n_bytes;
    RigidMotion motion;
    motion.joints.reserve(movers.size());
    std::ranges::reverse(movers);
    for (auto* mover : movers) {
        Joint& joint = motion.joints.emplace_back(*animation_.joint_of(mover->node));
        joint.placement = mover->between;
    }
    motion.rest = place.within * glm::inverse(place.rest());
    return motion;
}

}  // namespace tl
