// Transforms of the nodes of a glTF file at a moment of its animation.
#pragma once

#include <optional>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_animation.h"
#include "renderer/scene/loaders/gltf/gltf_file.h"

namespace tl {

/// Transform of a node at rest, to its parent.
[[nodiscard]] glm::dmat4 local_transform(const tinygltf::Node& node);

class GltfPose {
  public:
    /// Starts at rest; both arguments must outlive this.
    GltfPose(const GltfFile& file, const GltfAnimation& animation);

    /// Sets the transform of the whole scene, initially the identity.
    void place(const glm::dmat4& root);
    /// Moves all nodes to where they are at that time, seconds; none: at rest.
    void set_time(std::optional<double> seconds);
    /// The transform of a node to world space; the identity for a node that is in no tree.
    [[nodiscard]] const glm::dmat4& of(int node) const;
    /// Whether a node or one above it is animated.
    [[nodiscard]] bool moves(int node) const;

    /// The nodes that no other node has as a child.
    [[nodiscard]] static std::vector<int> roots(const GltfFile& file);

  private:
    void pose();

    const GltfFile& file_;
    glm::dmat4 root_{1};
    std::optional<double> seconds_;
    std::vector<int> order_;                          ///< each node after its parent
    std::vector<int> parent_;                         ///< parent of each node; -1: none
    std::vector<std::optional<RigidMotion>> motion_;  ///< motion of each node within its parent
    std::vector<char> moves_;
    std::vector<glm::dmat4> transform_;
};

}  // namespace tl
